import { computeGains } from '../../src/analytics/gains.js';
import { pageGroups } from '../../src/analytics/group-page.js';
import { addMetricSums, toAnalyticsMetrics, toMetricSums } from '../../src/analytics/metric-sums.js';
import { metricNames, noMetrics, type Metrics } from '../../src/analytics/metrics.js';
import type { ConnectionId, DeliveryId, ExternalPostId, PostId, WorkspaceId } from '../../src/ids.js';
import type {
  GroupIntervalsQuery,
  HourSums,
  HourSumsQuery,
  PostSums,
  PostSumsQuery,
  Snapshot,
  SummedGroup,
  SummedPosts,
} from '../../src/ports/index.js';
import { countedExternalPosts } from './memory-external-posts.js';
import type { MemoryState } from './memory-state.js';
import { ofWorkspace } from './rows.js';

interface MeasuredSubject {
  readonly id: DeliveryId | ExternalPostId;
  readonly postId: PostId | ExternalPostId;
  readonly connectionId: ConnectionId;
  readonly publishedAt: Date;
}

/** What one delivery or external post contributes to one interval. */
interface Contribution {
  readonly subject: MeasuredSubject;
  readonly interval: number;
  readonly metrics: Metrics;
  readonly takenAt: Date | null;
}

/** What each post contributes to each interval. */
function listContributions(
  state: MemoryState,
  workspaceId: WorkspaceId,
  { connectionIds, from, to, source, basis, intervals }: Omit<PostSumsQuery, 'grouping'>,
) {
  const snapshotsOf = Map.groupBy(
    state.snapshots.values(),
    ({ deliveryId, externalPostId }) => deliveryId ?? externalPostId,
  );
  const intervalOf = (at: Date) => intervals.findLastIndex((start) => start <= at);
  const facts = { decreased: 0, withoutBaseline: 0 };

  const subjects = [
    ...ofWorkspace(state.deliveries, workspaceId).flatMap((row): MeasuredSubject[] => {
      const { id, postId, status, publishedAt, connectionId } = row;
      return status === 'published' && publishedAt && connectionIds.includes(connectionId)
        ? [{ id, postId, connectionId, publishedAt }]
        : [];
    }),
    ...countedExternalPosts(state, workspaceId, { connectionIds, source }).map((post) => ({
      ...post,
      postId: post.id,
    })),
  ];
  const rows = subjects.flatMap((subject): Contribution[] => {
    const { publishedAt, id } = subject;
    const readings = [...(snapshotsOf.get(id) ?? [])].sort(byTime);
    const isPublishedThen = publishedAt >= from && publishedAt < to;
    const takenAt = readings.at(-1)?.takenAt ?? null;
    const none = isPublishedThen
      ? [{ subject, interval: intervalOf(publishedAt), metrics: noMetrics, takenAt }]
      : [];
    if (basis === 'published') {
      return none.map((row) => ({ ...row, metrics: readings.at(-1)?.metrics ?? noMetrics }));
    }
    const { gains, hasDecreased, lacksBaseline } = computeGains(
      readings.map(({ metrics, ...reading }) => ({ ...reading, metrics: { ...metrics, followers: null } })),
      publishedAt,
      { from, to },
    );
    if (hasDecreased) facts.decreased++;
    if (lacksBaseline) facts.withoutBaseline++;
    const gainsOf = Map.groupBy(gains, ({ at }) => intervalOf(at));
    const gained = [...gainsOf].map(([interval, each]) => ({
      subject,
      interval,
      metrics: addMetrics(each.map(({ metrics }) => metrics)),
      takenAt: gains.at(-1)?.at ?? null,
    }));
    return gained.length > 0 ? gained : none.map((row) => ({ ...row, takenAt: null }));
  });
  return { rows, facts };
}

const sumUp = (some: readonly Contribution[]): SummedPosts => ({
  postCount: new Set(some.map(({ subject }) => subject.postId)).size,
  sums: addMetricSums(some.map(({ metrics }) => toMetricSums(metrics))),
});

const keyOf =
  (
    state: MemoryState,
    { connectionIds, grouping }: Pick<GroupIntervalsQuery, 'connectionIds' | 'grouping'>,
  ) =>
  ({ subject: { postId, connectionId } }: Contribution): string => {
    if ('keys' in grouping) return grouping.keys[connectionIds.indexOf(connectionId)] ?? '';
    if (grouping.by === 'post') return postId;
    return state.posts.get(postId)?.metadata[grouping.by.slice('metadata.'.length)] ?? '';
  };

const byInterval = (rows: readonly Contribution[]): ReadonlyMap<number, SummedPosts> =>
  new Map(
    [...Map.groupBy(rows, ({ interval }) => interval)]
      .filter(([interval]) => interval >= 0)
      .map(([interval, own]) => [interval, sumUp(own)]),
  );

export function sumPostsInMemory(
  state: MemoryState,
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
): PostSums {
  const { connectionIds, from, to, basis, grouping } = query;
  const { rows, facts } = listContributions(state, workspaceId, query);
  const whole = perSubject(rows);
  const deliveryIdsOf = (postId: string) =>
    ofWorkspace(state.deliveries, workspaceId)
      .filter(({ status, connectionId }) => status === 'published' && connectionIds.includes(connectionId))
      .filter(
        ({ publishedAt }) => basis === 'activity' || (publishedAt && publishedAt >= from && publishedAt < to),
      )
      .filter((row) => row.postId === postId)
      .map(({ id }) => id);
  const groups = [...Map.groupBy(whole, keyOf(state, query))].map(([key, members]): SummedGroup => ({
    key,
    ...sumUp(members),
    deliveryIds: grouping.by === 'post' ? deliveryIdsOf(key) : [],
  }));
  return {
    total: { ...sumUp(whole), ...facts },
    connections: [...Map.groupBy(whole, ({ subject }) => subject.connectionId)].map(
      ([connectionId, own]) => ({
        connectionId,
        sums: sumUp(own).sums,
        firstPublishedAt: own.map(({ subject }) => subject.publishedAt).sort(ascending)[0] as Date,
        oldestSnapshotAt: own.flatMap(({ takenAt }) => takenAt ?? []).sort(ascending)[0] ?? null,
      }),
    ),
    intervals: byInterval(rows),
    groups: 'keys' in grouping ? { items: groups } : pageSums(groups, grouping),
  };
}

export function sumGroupsInMemory(
  state: MemoryState,
  workspaceId: WorkspaceId,
  query: GroupIntervalsQuery,
): ReadonlyMap<string, ReadonlyMap<number, SummedPosts>> {
  const { rows } = listContributions(state, workspaceId, query);
  return new Map(
    [...Map.groupBy(rows, keyOf(state, query))]
      .filter(([key]) => query.groups.includes(key))
      .map(([key, own]) => [key, byInterval(own)]),
  );
}

export function sumHoursInMemory(
  state: MemoryState,
  workspaceId: WorkspaceId,
  { connectionIds, from, to, offsets }: HourSumsQuery,
): readonly HourSums[] {
  const snapshotsOf = Map.groupBy(state.snapshots.values(), ({ deliveryId }) => deliveryId);
  const rows = ofWorkspace(state.deliveries, workspaceId).flatMap(
    ({ id, postId, connectionId, status, publishedAt }) => {
      if (status !== 'published' || !publishedAt || !connectionIds.includes(connectionId)) return [];
      if (publishedAt < from || publishedAt >= to) return [];
      const offset = offsets.findLast((change) => change.from <= publishedAt)?.seconds ?? 0;
      const local = new Date(publishedAt.getTime() + offset * 1000);
      const metrics = [...(snapshotsOf.get(id) ?? [])].sort(byTime).at(-1)?.metrics ?? noMetrics;
      return [
        {
          postId,
          place: ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours(),
          sums: toMetricSums(metrics),
        },
      ];
    },
  );
  const countPosts = (some: typeof rows) => new Set(some.map(({ postId }) => postId)).size;
  return [...Map.groupBy(rows, ({ place }) => place)]
    .sort(([a], [b]) => a - b)
    .map(([place, own]) => {
      const { engagements, rated_impressions, rated_engagements } = addMetricSums(
        own.map(({ sums }) => sums),
      );
      return {
        weekday: Math.floor(place / 24) + 1,
        hour: place % 24,
        postCount: countPosts(own),
        measuredPostCount: countPosts(own.filter(({ sums }) => sums.engagements !== null)),
        ratedPostCount: countPosts(own.filter(({ sums }) => sums.rated_engagements !== null)),
        sums: { engagements, rated_impressions, rated_engagements },
      };
    });
}

/** The rate of a total or group covers what each post gained in the whole time. */
function perSubject(rows: readonly Contribution[]): Contribution[] {
  return [...Map.groupBy(rows, ({ subject }) => subject.id).values()].flatMap((own) => {
    const [first] = own;
    return first ? [{ ...first, metrics: addMetrics(own.map(({ metrics }) => metrics)) }] : [];
  });
}

function pageSums(
  groups: readonly SummedGroup[],
  { sort, page }: Extract<PostSumsQuery['grouping'], { readonly sort: unknown }>,
): PostSums['groups'] {
  const byKey = new Map(groups.map((group) => [group.key, group]));
  const { items, next } = pageGroups(
    groups.map(({ key, postCount, sums }) => ({ key, postCount, metrics: toAnalyticsMetrics(sums) })),
    sort,
    page,
  );
  return { items: items.flatMap(({ key }) => byKey.get(key) ?? []), next };
}

const ascending = (a: Date, b: Date) => a.getTime() - b.getTime();
const byTime = (a: Snapshot, b: Snapshot) => ascending(a.takenAt, b.takenAt);

const addMetrics = (all: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    metricNames.map((name) => {
      const known = all.flatMap((metrics) => metrics[name] ?? []);
      return [name, known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null];
    }),
  ) as Metrics;
