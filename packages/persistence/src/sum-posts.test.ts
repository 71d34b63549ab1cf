import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConnectionId, DeliveryId, WorkspaceId } from '@switchboard/domain';
import {
  metricNames,
  noMetrics,
  type ExternalPost,
  type GroupSort,
  type Metrics,
  type PostListing,
} from '@switchboard/domain/analytics';
import type { Delivery } from '@switchboard/domain/deliveries';
import type {
  Clock,
  HourSumsQuery,
  PostSums,
  PostSumsQuery,
  Repositories,
  Snapshot,
} from '@switchboard/domain/ports';
import { listOffsets, type Post } from '@switchboard/domain/posts';
import {
  builders,
  countedIds,
  memoryPorts,
  movableClock,
  randomSeeds,
  repetitions,
  seededRandom,
  type MemoryPorts,
} from '@switchboard/domain/testing';
import {
  openDatabase,
  prismaRepositories,
  sumInvalidatedDays,
  sumRequestedHours,
  type Database,
} from './index.js';
import { requestHourSums } from './hour-sums.js';
import { insertPosts } from './insert-posts.js';
import { testDatabase } from './testing.js';

/** Certain histories: ANALYTICS_SEEDS=5,6,7. 100,000 posts: ANALYTICS_POSTS=100000. */
const seeds = randomSeeds('ANALYTICS_SEEDS', { few: 1, many: 6 });
const POSTS = Number(process.env['ANALYTICS_POSTS'] ?? 200);
/** Storage in memory compares all posts with each other: a longer history is compared with plain SQL only. */
const isKeptInMemory = POSTS <= 2000;
const BATCH = 500;
/** Few enough that not every post made elsewhere may be one of them. */
const UNRESOLVED_SHARE = Math.min(0.02, 40 / POSTS);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Daylight saving time begins in this year on 29 March in Europe. */
const START = Date.parse('2026-03-01T00:00:00Z');
const DAYS = 60;
/** In Europe clocks skip an hour; on Lord Howe Island they repeat half an hour. */
const CLOCK_CHANGES = [Date.parse('2026-03-29T01:00:00Z'), Date.parse('2026-04-04T15:00:00Z')];
const POSTS_AT_CHANGES = 30;

const clock: Clock = {
  now: () => new Date(START + DAYS * DAY_MS),
  after: (ms) => new Date(START + DAYS * DAY_MS + ms),
  sleep: async () => undefined,
};

const ids = countedIds(clock);
let database: Database;
beforeAll(async () => {
  database = openDatabase(await testDatabase('sum_posts'), { max: 4 });
});
afterAll(() => database.close());

type Random = ReturnType<typeof seededRandom>;

/** Counters with gaps, unknown values, decreases and resets. */
function readCounters(
  random: Random,
  publishedMs: number,
): { readonly at: number; readonly metrics: Metrics }[] {
  const reported = metricNames.filter((name) => name !== 'followers' && random.next() < 0.5);
  const counters = new Map(reported.map((name) => [name, 0]));
  const readings: { at: number; metrics: Metrics }[] = [];
  let at = publishedMs + random.int(0, 2 * DAY_MS);
  const count = random.int(0, 12);
  for (let index = 0; index < count; index++) {
    for (const name of reported) {
      const value = counters.get(name) ?? 0;
      counters.set(name, Math.max(0, value + random.int(random.next() < 0.15 ? -6 : 0, 9)));
    }
    const isReset = random.next() < 0.08;
    const known = reported.filter(() => random.next() < 0.9);
    readings.push({
      at,
      metrics: {
        ...noMetrics,
        ...Object.fromEntries(known.map((name) => [name, isReset ? 0 : (counters.get(name) ?? 0)])),
      },
    });
    at += random.int(HOUR_MS, random.next() < 0.1 ? 15 * DAY_MS : 3 * DAY_MS);
  }
  return readings;
}

interface History {
  readonly workspaceId: Post['workspaceId'];
  readonly connectionIds: readonly ConnectionId[];
  readonly memory: MemoryPorts;
  readonly stored: Repositories;
}

async function openHistory(seed: number): Promise<History> {
  const random = seededRandom(seed);
  const elsewhereRandom = seededRandom(seed * 104_729);
  const memory = memoryPorts(movableClock(clock.now()));
  const build = builders({ clock, ids });
  const stored = prismaRepositories(database.prisma);
  const both = isKeptInMemory ? [memory.repositories, stored] : [stored];
  const workspace = build.workspace();
  const profiles = [build.profile(workspace), build.profile(workspace)];
  const [shared] = profiles.map((profile) => build.connection(profile).account);
  // The Mastodon account is connected in both profiles.
  const connections = profiles.flatMap((profile) => [
    build.connection(profile),
    build.connection(profile, { platform: 'mastodon', ...(shared && { account: shared }) }),
  ]);
  for (const tables of both) {
    await tables.workspaces.insert(workspace);
    for (const profile of profiles) await tables.profiles.insert(profile);
    for (const connection of connections) await tables.connections.insert(connection);
  }
  const count = POSTS + POSTS_AT_CHANGES;
  for (let batch = 0; batch < count; batch += BATCH) {
    const snapshots: Snapshot[] = [];
    const listedPosts: ExternalPost[] = [];
    const posts: Post[] = [];
    for (let index = batch; index < Math.min(count, batch + BATCH); index++) {
      const profile = random.pick(profiles);
      const own = connections.filter(({ profileId }) => profileId === profile.id);
      const targets = random.next() < 0.4 ? own : [random.pick(own)];
      const metadata = random.next() < 0.5 ? { campaign: random.pick(['spring', 'summer', 'ß']) } : {};
      const post = build.post(profile, targets, { metadata });
      const deliveries = post.deliveries.map((delivery) => ({
        ...delivery,
        status: random.next() < 0.9 ? ('published' as const) : ('deleted' as const),
        publishedAt: new Date(
          index < POSTS
            ? START + random.int(-20 * DAY_MS, DAYS * DAY_MS)
            : random.pick(CLOCK_CHANGES) + random.int(-HOUR_MS, HOUR_MS),
        ),
        externalId: delivery.id,
        resolveUrlAt: elsewhereRandom.next() < UNRESOLVED_SHARE ? clock.now() : null,
      }));
      // Listed before their publication was recorded, so that they are found when the sums are read.
      const listed = deliveries.filter(() => elsewhereRandom.next() < 0.2).map(toExternalPost);
      if (elsewhereRandom.next() < 0.5) {
        const on = elsewhereRandom.pick(connections);
        const elsewhere: ExternalPost = {
          id: ids.next('ext'),
          workspaceId: workspace.id,
          connectionId: on.id,
          externalId: `elsewhere ${index}`,
          publishedAt: new Date(START + elsewhereRandom.int(-20 * DAY_MS, DAYS * DAY_MS)),
          url: null,
          text: '',
        };
        const same = connections.filter(({ account }) => account.id === on.account.id);
        listed.push(...same.map(({ id }) => ({ ...elsewhere, id: ids.next('ext'), connectionId: id })));
      }
      listedPosts.push(...listed);
      for (const external of listed) {
        const { id, workspaceId, connectionId, publishedAt } = external;
        for (const { at, metrics } of readCounters(elsewhereRandom, publishedAt.getTime())) {
          const takenAt = new Date(at);
          snapshots.push({
            workspaceId,
            connectionId,
            deliveryId: null,
            externalPostId: id,
            metrics,
            takenAt,
          });
        }
      }
      posts.push({ ...post, deliveries });
      for (const { id, workspaceId, connectionId, publishedAt } of deliveries) {
        for (const { at, metrics } of readCounters(random, publishedAt.getTime())) {
          snapshots.push({ workspaceId, connectionId, deliveryId: id, metrics, takenAt: new Date(at) });
        }
      }
    }
    for (const [, own] of Map.groupBy(listedPosts, ({ connectionId }) => connectionId)) {
      const [first] = own;
      if (first) for (const tables of both) await tables.externalPosts.save(notListed(first), own);
    }
    if (isKeptInMemory) for (const post of posts) await memory.repositories.posts.insert(post);
    await insertPosts(database.prisma, posts, null);
    for (const tables of both) await tables.snapshots.insert(snapshots);
  }
  return { workspaceId: workspace.id, connectionIds: connections.map(({ id }) => id), memory, stored };
}

const toExternalPost = ({ id, workspaceId, connectionId, publishedAt }: Delivery): ExternalPost => ({
  id: ids.next('ext'),
  workspaceId,
  connectionId,
  externalId: id,
  publishedAt: publishedAt ?? clock.now(),
  url: null,
  text: '',
});

const notListed = ({ workspaceId, connectionId }: ExternalPost): PostListing => ({
  workspaceId,
  connectionId,
  requestedAt: clock.now(),
  listedAt: null,
  knownSince: null,
  resumeCursor: null,
  listedCount: 0,
  limited: false,
});

const sorts: readonly GroupSort[] = ['key', '-likes', '-engagements', '-engagement_rate', '-views'];

const metricSorts: readonly GroupSort[] = [
  '-likes',
  '-engagements',
  '-engagement_rate',
  '-clicks',
  '-impressions',
  '-followers',
];

function randomQuery(random: Random, connectionIds: readonly ConnectionId[]): PostSumsQuery {
  const firstDay = random.int(0, DAYS - 2);
  const days = random.int(1, DAYS - firstDay);
  const startMs = START + random.pick([0, 0, -2 * HOUR_MS, 5.75 * HOUR_MS]) + firstDay * DAY_MS;
  const at = (day: number) => new Date(startMs + day * DAY_MS);
  const intervalDays = random.pick([1, 7]);
  const used = connectionIds.filter(() => random.next() < 0.8);
  const by = random.pick(['platform', 'connection', 'profile', 'post', 'metadata.campaign'] as const);
  return {
    connectionIds: used,
    from: at(0),
    to: at(days),
    source: random.pick(['switchboard', 'all'] as const),
    basis: random.pick(['published', 'activity'] as const),
    intervals:
      random.next() < 0.5
        ? []
        : Array.from({ length: Math.ceil(days / intervalDays) }, (_, index) => at(index * intervalDays)),
    grouping:
      by === 'post' || by === 'metadata.campaign'
        ? { by, sort: random.pick(sorts), page: { limit: 100_000 } }
        : { by, keys: used.map((_, index) => `${by} ${index % 2}`) },
  };
}

/** Comparable: in one order, and without the representation of positions. */
const normalize = (sums: PostSums) => ({
  ...sums,
  connections: [...sums.connections].sort((a, b) => (a.connectionId < b.connectionId ? -1 : 1)),
  intervals: [...sums.intervals].sort(([a], [b]) => a - b),
  groups: sums.groups.items
    .map((group) => ({ ...group, deliveryIds: [...group.deliveryIds].sort() }))
    .sort((a, b) => (a.key < b.key ? -1 : 1)),
});

const listSums = ({ total, intervals, groups }: PostSums) =>
  [
    { kind: 'total', key: '', postCount: total.postCount, ...total.sums },
    ...[...intervals].map(([at, { postCount, sums }]) => ({
      kind: 'interval',
      key: String(at),
      postCount,
      ...sums,
    })),
    ...groups.items.map(({ key, postCount, sums }) => ({ kind: 'group', key, postCount, ...sums })),
  ].sort(byKindAndKey);

type PlainSums = { readonly kind: string; readonly key: string; readonly postCount: number };
const byKindAndKey = (a: PlainSums, b: PlainSums) =>
  a.kind === b.kind ? (a.key < b.key ? -1 : 1) : a.kind < b.kind ? -1 : 1;

/** From the deliveries, the external posts that count once, and the last snapshot of each. */
async function sumByPlainSql(
  workspaceId: WorkspaceId,
  { from, to, source, intervals }: Pick<PostSumsQuery, 'from' | 'to' | 'source' | 'intervals'>,
  {
    connectionIds,
    keys,
    key,
  }: {
    readonly connectionIds: readonly ConnectionId[];
    readonly keys: readonly string[];
    readonly key: 'account_key' | 'post_id' | 'campaign';
  },
): Promise<readonly PlainSums[]> {
  const counted = metricNames.filter((name) => name !== 'followers');
  const sums = [...counted, 'engagements', 'rated_impressions', 'rated_engagements']
    .map((name) => `sum(${name})::float8 AS ${name}`)
    .join(', ');
  const rows = await database.prisma.$queryRawUnsafe<PlainSums[]>(
    `WITH last_snapshots AS MATERIALIZED (
       SELECT DISTINCT ON (subject) subject, taken_at, metrics FROM snapshots WHERE workspace_id = $1
       ORDER BY subject, taken_at DESC
     ), elsewhere AS MATERIALIZED (
       SELECT DISTINCT ON (c.platform, c.account_id, e.external_id) e.id, e.connection_id, e.published_at
       FROM external_posts e JOIN connections c ON c.id = e.connection_id LEFT JOIN last_snapshots l ON l.subject = e.id
       WHERE e.workspace_id = $1 AND $6
         AND NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = $1 AND d.external_id = e.external_id)
         AND NOT EXISTS (
           SELECT FROM deliveries d JOIN connections o ON o.id = d.connection_id
           WHERE d.workspace_id = $1 AND o.platform = c.platform AND o.account_id = c.account_id AND d.status = 'published'
             AND d.resolve_url_at IS NOT NULL
             AND d.published_at BETWEEN e.published_at - interval '86399.999 s' AND e.published_at + interval '3599.999 s')
       ORDER BY c.platform, c.account_id, e.external_id, l.taken_at DESC NULLS LAST, e.id DESC
     ), subjects AS (
       SELECT id, post_id, connection_id, published_at FROM deliveries WHERE workspace_id = $1 AND status = 'published'
       UNION ALL
       SELECT id, id, connection_id, published_at FROM elsewhere
     ), measured AS MATERIALIZED (
       SELECT s.post_id, coalesce(p.metadata ->> 'campaign', '') AS campaign, ($5::text[])[array_position($4::text[], s.connection_id)] AS account_key,
         (SELECT count(*) FROM unnest($7::timestamptz[]) AS start WHERE start <= s.published_at) - 1 AS at_interval,
         ${counted.map((name) => `(l.metrics ->> '${name}')::int AS ${name}`).join(', ')}
       FROM subjects s LEFT JOIN last_snapshots l ON l.subject = s.id LEFT JOIN posts p ON p.id = s.post_id
       WHERE s.published_at >= $2 AND s.published_at < $3
     ), engaged AS (
       SELECT *, CASE WHEN engagements IS NOT NULL THEN impressions END AS rated_impressions,
         CASE WHEN impressions IS NOT NULL THEN engagements END AS rated_engagements
       FROM (
         SELECT *, (SELECT sum(one) FROM unnest(ARRAY[likes, comments, shares, saves]) AS one)::int AS engagements FROM measured
       ) AS measured
     )
     SELECT 'total' AS kind, '' AS key, count(DISTINCT post_id)::int AS "postCount", ${sums} FROM engaged
     UNION ALL SELECT 'interval', at_interval::text, count(DISTINCT post_id)::int, ${sums} FROM engaged WHERE at_interval >= 0 GROUP BY 2
     UNION ALL SELECT 'group', ${key}, count(DISTINCT post_id)::int, ${sums} FROM engaged GROUP BY 2`,
    workspaceId,
    from,
    to,
    connectionIds,
    keys,
    source === 'all',
    intervals,
  );
  return [...rows].sort(byKindAndKey);
}

/** Returns what changes one of the deliveries in both storages: its metrics, its status or its time. */
async function changesOf(
  { workspaceId, memory, stored }: History,
  random: Random,
): Promise<() => Promise<void>> {
  const deliveries = await database.prisma.delivery.findMany({
    where: { workspaceId, status: 'published' },
    select: { id: true, connectionId: true, publishedAt: true, epoch: true },
    orderBy: { id: 'asc' },
  });
  return async () => {
    const delivery = random.pick(deliveries);
    const [id, connectionId] = [delivery.id as DeliveryId, delivery.connectionId as ConnectionId];
    const publishedAt = delivery.publishedAt as Date;
    const status = random.next() < 0.5 ? ('published' as const) : ('deleted' as const);
    const moved = new Date(publishedAt.getTime() + random.pick([0, HOUR_MS, -30 * HOUR_MS]));
    const reading: Snapshot = {
      workspaceId,
      connectionId,
      deliveryId: id,
      metrics: { ...noMetrics, likes: random.int(0, 50), views: random.next() < 0.5 ? null : 7 },
      takenAt: new Date(clock.now().getTime() + random.int(0, DAY_MS)),
    };
    const isReading = random.next() < 0.5;
    for (const tables of [memory.repositories, stored]) {
      await (isReading
        ? tables.snapshots.insert([reading])
        : tables.deliveries.settle([{ id, epoch: delivery.epoch, changes: { status, publishedAt: moved } }]));
    }
  };
}

const timezones = ['UTC', 'Europe/Madrid', 'Asia/Kathmandu', 'Australia/Lord_Howe'];
const testInMemory = isKeptInMemory ? test : test.skip;

describe.each(seeds)('random history %i', (seed) => {
  let history: History;
  beforeAll(async () => {
    history = await openHistory(seed);
  }, 1_800_000);

  testInMemory(
    'gives the same sums in memory and in PostgreSQL',
    async () => {
      const { workspaceId, connectionIds, memory, stored } = history;
      const random = seededRandom(seed * 7919);
      for (let index = 0; index < repetitions({ few: 8, many: 25 }); index++) {
        const query = randomQuery(random, connectionIds);
        const expected = await memory.repositories.snapshots.sumPosts(workspaceId, query);
        const actual = await stored.snapshots.sumPosts(workspaceId, query);
        expect({ query, sums: normalize(actual) }).toEqual({ query, sums: normalize(expected) });
      }
    },
    900_000,
  );

  testInMemory(
    'gives the same sums from days that are summed, from those that changed since, and from both',
    async () => {
      const { workspaceId, connectionIds, memory, stored } = history;
      const random = seededRandom(seed * 104_729);
      const changeOne = await changesOf(history, random);
      for (let round = 0; round < 6; round++) {
        for (let index = 0; index < random.int(0, 15); index++) await changeOne();
        for (let index = 0; index < repetitions({ few: 3, many: 8 }); index++) {
          const query = { ...randomQuery(random, connectionIds), basis: 'published' as const };
          const expected = await memory.repositories.snapshots.sumPosts(workspaceId, query);
          const actual = await stored.snapshots.sumPosts(workspaceId, query);
          expect({ round, query, sums: normalize(actual) }).toEqual({
            round,
            query,
            sums: normalize(expected),
          });
        }
        if (round % 2 === 0) while ((await sumInvalidatedDays(database.prisma)) > 0);
      }
      const [days] = await database.prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM metric_sums WHERE workspace_id = ${workspaceId} AND NOT is_month`;
      expect(days?.count).toBeGreaterThan(DAYS);
    },
    900_000,
  );

  testInMemory(
    'gives the pages of posts sorted by a metric that memory gives, from days that are summed and from others',
    async () => {
      const { workspaceId, connectionIds, memory, stored } = history;
      const random = seededRandom(seed * 86_028_121);
      while ((await sumInvalidatedDays(database.prisma)) > 0);
      const queries = repetitions({ few: 10, many: 40 });
      let pages = 0;
      for (let index = 0; index < queries; index++) {
        if (index === queries / 2) {
          await database.prisma.$executeRaw`
            INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
            SELECT workspace_id, connection_id, starts_on FROM metric_sums
            WHERE workspace_id = ${workspaceId} AND NOT is_month AND position = 1 AND extract(day FROM starts_on)::int % 9 = 0`;
        }
        const query = { ...randomQuery(random, connectionIds), basis: 'published', intervals: [] } as const;
        const sort = random.pick(metricSorts);
        const limit = random.pick([1, 3, 20]);
        const pageAfter = (after: string | undefined) =>
          ({ ...query, grouping: { by: 'post', sort, page: { limit, after } } }) as const;
        // Rates of positions are rounded in memory only.
        let positions: { readonly memory: string | undefined; readonly stored: string | undefined };
        for (positions = { memory: undefined, stored: undefined }; ;) {
          const expected = (
            await memory.repositories.snapshots.sumPosts(workspaceId, pageAfter(positions.memory))
          ).groups;
          const query = pageAfter(positions.stored);
          const { groups } = await stored.snapshots.sumPosts(workspaceId, query);
          const listedGroups = (each: typeof groups) => each.items.map(({ key, sums }) => ({ key, sums }));
          expect({ query, groups: listedGroups(groups), more: groups.next !== undefined }).toEqual({
            query,
            groups: listedGroups(expected),
            more: expected.next !== undefined,
          });
          pages++;
          positions = { memory: expected.next, stored: groups.next };
          if (groups.next === undefined || random.next() < 0.3) break;
        }
      }
      expect(pages).toBeGreaterThan(queries * 1.5);
    },
    900_000,
  );

  testInMemory(
    'gives the sums of each group by interval that memory gives, which add up to those of the group',
    async () => {
      const { workspaceId, connectionIds, memory, stored } = history;
      const random = seededRandom(seed * 15_485_863);
      for (let index = 0; index < repetitions({ few: 5, many: 10 }); index++) {
        const query = randomQuery(random, connectionIds);
        const { groups } = await stored.snapshots.sumPosts(workspaceId, query);
        const keys = groups.items.map(({ key }) => key).filter(() => random.next() < 0.5);
        const { grouping } = query;
        const split = {
          ...query,
          grouping: 'keys' in grouping ? grouping : { by: grouping.by },
          groups: keys,
        };
        const actual = await stored.snapshots.sumGroupsByInterval(workspaceId, split);
        const expected = await memory.repositories.snapshots.sumGroupsByInterval(workspaceId, split);
        const toRows = (sums: typeof actual) =>
          [...sums].flatMap(([key, each]) => [...each].map(([at, one]) => ({ key, at, ...one })));
        const inOrder = (sums: typeof actual) =>
          toRows(sums).sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1));
        expect(inOrder(actual)).toEqual(inOrder(expected));
        if (query.intervals.length === 0) continue;
        for (const { key, sums } of groups.items.filter((group) => keys.includes(group.key))) {
          const parts = toRows(actual).flatMap((row) => (row.key === key ? (row.sums.likes ?? []) : []));
          expect(parts.length === 0 ? null : parts.reduce((sum, one) => sum + one, 0)).toBe(sums.likes);
        }
      }
    },
    900_000,
  );

  test('gives pages that continue where the last one ended, in the order of the metric', async () => {
    const { workspaceId, connectionIds, stored } = history;
    for (const sort of sorts) {
      const read = (limit: number, after?: string) =>
        stored.snapshots.sumPosts(workspaceId, {
          connectionIds,
          from: new Date(START),
          to: clock.now(),
          basis: 'activity',
          source: 'switchboard',
          intervals: [],
          grouping: { by: 'post', sort, page: { limit, after } },
        });
      const whole = (await read(100_000)).groups.items.map(({ key }) => key);
      const paged: string[] = [];
      for (let after: string | undefined; ;) {
        const { groups } = await read(Math.ceil(POSTS / 4), after);
        paged.push(...groups.items.map(({ key }) => key));
        if (groups.next === undefined) break;
        after = groups.next;
      }
      expect(paged).toEqual(whole);
    }
  }, 900_000);

  testInMemory.each(timezones)(
    'gives the same hours of the week in memory and in PostgreSQL: %s',
    async (timezone) => {
      const { workspaceId, connectionIds, memory, stored } = history;
      const [from, to] = [new Date(START), new Date(START + 50 * DAY_MS)];
      const query = { connectionIds, from, to, offsets: listOffsets(from, to, timezone) };
      expect(await stored.snapshots.sumPostsByHour(workspaceId, query)).toEqual(
        await memory.repositories.snapshots.sumPostsByHour(workspaceId, query),
      );
    },
    900_000,
  );

  testInMemory(
    'gives the same hours of the week from hours that are summed, from days that changed since, and from both',
    async () => {
      const { workspaceId, connectionIds, memory, stored } = history;
      const random = seededRandom(seed * 179_424_673);
      const changeOne = await changesOf(history, random);
      const selections = [
        connectionIds,
        ...[0.5, 0.5].map((share) => connectionIds.filter(() => random.next() < share)),
      ];
      const someHours = (): HourSumsQuery => {
        const timezone = random.pick(timezones);
        const firstDay = random.int(-20, DAYS - 2);
        const [from, to] = [firstDay, random.int(firstDay + 1, DAYS)].map((day) => {
          const midnight = new Date(START + day * DAY_MS);
          const seconds = listOffsets(midnight, midnight, timezone)[0]?.seconds ?? 0;
          return new Date(midnight.getTime() - seconds * 1000);
        }) as [Date, Date];
        return { connectionIds: random.pick(selections), from, to, offsets: listOffsets(from, to, timezone) };
      };
      for (const each of selections) {
        for (const offset of [0, 900, 1800])
          await requestHourSums(database.prisma, workspaceId, each, offset);
      }
      for (let round = 0; round < 8; round++) {
        for (let index = 0; index < random.int(0, 15); index++) await changeOne();
        for (let index = 0; index < repetitions({ few: 4, many: 12 }); index++) {
          const query = someHours();
          const expected = await memory.repositories.snapshots.sumPostsByHour(workspaceId, query);
          const actual = await stored.snapshots.sumPostsByHour(workspaceId, query);
          expect({ round, query, hours: actual }).toEqual({ round, query, hours: expected });
        }
        if (round % 3 === 0) while ((await sumInvalidatedDays(database.prisma)) > 0);
        if (round > 3) while ((await sumRequestedHours(database.prisma)) > 0);
        else await sumRequestedHours(database.prisma);
      }
      const [rows] = await database.prisma.$queryRaw<{ common: number; single: number }[]>`
        SELECT count(*) FILTER (WHERE post_id = '')::int AS common, count(*) FILTER (WHERE post_id <> '')::int AS single
        FROM hour_sums WHERE workspace_id = ${workspaceId}`;
      expect(rows?.common).toBeGreaterThan(100);
      expect(rows?.single).toBeGreaterThan(100);
    },
    900_000,
  );

  test.each(timezones)(
    'gives the hours of the week that plain SQL over all snapshots gives: %s',
    async (timezone) => {
      const { workspaceId, connectionIds, stored } = history;
      const [from, to] = [new Date(START), new Date(START + 50 * DAY_MS)];
      const query = { connectionIds, from, to, offsets: listOffsets(from, to, timezone) };
      const actual = await stored.snapshots.sumPostsByHour(workspaceId, query);
      const plain = await database.prisma.$queryRawUnsafe<object[]>(
        `WITH counted AS (
           SELECT d.post_id, d.published_at AT TIME ZONE $4 AS local, (
             SELECT CASE WHEN num_nonnulls(s.metrics ->> 'likes', s.metrics ->> 'comments', s.metrics ->> 'shares',
                 s.metrics ->> 'saves') > 0
               THEN (SELECT sum(e.value::int) FROM jsonb_each_text(s.metrics) AS e
                 WHERE e.key IN ('likes', 'comments', 'shares', 'saves')) END
             FROM snapshots s WHERE s.delivery_id = d.id ORDER BY s.taken_at DESC LIMIT 1) AS engagements
           FROM deliveries d
           WHERE d.workspace_id = $1 AND d.status = 'published' AND d.published_at >= $2 AND d.published_at < $3
         )
         SELECT extract(isodow FROM local)::int AS weekday, extract(hour FROM local)::int AS hour,
           count(DISTINCT post_id)::int AS "postCount",
           count(DISTINCT post_id) FILTER (WHERE engagements IS NOT NULL)::int AS "measuredPostCount",
           sum(engagements)::int AS engagements
         FROM counted GROUP BY 1, 2 ORDER BY 1, 2`,
        workspaceId,
        from,
        to,
        timezone,
      );
      expect(
        actual.map(({ weekday, hour, postCount, measuredPostCount, sums }) => ({
          weekday,
          hour,
          postCount,
          measuredPostCount,
          engagements: sums.engagements,
        })),
      ).toEqual(plain);
      expect(plain.length).toBeGreaterThan(20);
    },
    900_000,
  );

  test('gives another workspace no hours of these connections', async () => {
    const { connectionIds, memory, stored } = history;
    const [from, to] = [new Date(START), clock.now()];
    const query = { connectionIds, from, to, offsets: listOffsets(from, to, 'UTC') };
    for (const { snapshots } of [memory.repositories, stored]) {
      expect(await snapshots.sumPostsByHour(ids.next('wsp') as WorkspaceId, query)).toEqual([]);
    }
  });

  test.each(['switchboard', 'all'] as const)(
    'gives the totals, groups and intervals that plain SQL over all snapshots gives: %s',
    async (source) => {
      const { workspaceId, connectionIds, stored } = history;
      const random = seededRandom(seed * 32_452_843);
      for (let index = 0; index < repetitions({ few: 6, many: 12 }); index++) {
        const {
          connectionIds: _,
          grouping,
          ...query
        } = { ...randomQuery(random, connectionIds), basis: 'published' as const, source };
        const keys = connectionIds.map((__, position) => `group ${position % 2}`);
        const isOfAccounts = 'keys' in grouping;
        const actual = await stored.snapshots.sumPosts(workspaceId, {
          ...query,
          connectionIds,
          grouping: isOfAccounts ? { ...grouping, keys } : grouping,
        });
        const plain = await sumByPlainSql(workspaceId, query, {
          connectionIds,
          keys,
          key: isOfAccounts ? 'account_key' : grouping.by === 'post' ? 'post_id' : 'campaign',
        });
        expect({ query, sums: listSums(actual) }).toEqual({ query, sums: plain });
      }
    },
    1_800_000,
  );

  test('gives gains of posts that plain SQL gives from their last reading before and in the range', async () => {
    const { workspaceId, connectionIds, stored } = history;
    const [from, to] = [new Date(START + 15 * DAY_MS), new Date(START + 45 * DAY_MS)];
    const { groups } = await stored.snapshots.sumPosts(workspaceId, {
      connectionIds,
      from,
      to,
      basis: 'activity',
      source: 'switchboard',
      intervals: [],
      grouping: { by: 'post', sort: 'key', page: { limit: 100_000 } },
    });
    // Without resets, and with readings at most eight days apart, gains add up to the difference of two readings.
    const plain = await database.prisma.$queryRawUnsafe<{ id: DeliveryId; post: string; likes: number }[]>(
      `WITH readings AS (
         SELECT s.delivery_id, d.post_id, s.taken_at, (s.metrics ->> 'likes')::int AS likes,
           (SELECT sum(e.value::int) FROM jsonb_each_text(s.metrics) AS e) AS total,
           lag(s.taken_at) OVER (PARTITION BY s.delivery_id ORDER BY s.taken_at) AS previous
         FROM snapshots s JOIN deliveries d ON d.id = s.delivery_id AND d.status = 'published'
         WHERE s.workspace_id = $1 AND s.metrics ->> 'likes' IS NOT NULL AND s.taken_at < $3
       ), simple AS (
         SELECT delivery_id FROM readings GROUP BY delivery_id
         HAVING bool_and(total > 0) AND max(coalesce(taken_at - previous, interval '0')) <= interval '8 days'
           AND min(taken_at) < $2 AND max(taken_at) >= $2
       ), single AS (SELECT post_id FROM deliveries GROUP BY post_id HAVING count(*) = 1)
       SELECT r.post_id AS post, (array_agg(likes ORDER BY taken_at DESC))[1]
         - (array_agg(likes ORDER BY taken_at DESC) FILTER (WHERE taken_at < $2))[1] AS likes
       FROM readings r JOIN simple USING (delivery_id) JOIN single USING (post_id) GROUP BY 1`,
      workspaceId,
      from,
      to,
    );
    expect(plain.length).toBeGreaterThan(0);
    const gained = new Map(groups.items.map(({ key, sums }) => [key, sums.likes]));
    expect(plain.map(({ post }) => [post, gained.get(post)])).toEqual(
      plain.map(({ post, likes }) => [post, likes]),
    );
  }, 900_000);
});
