import { reachOf, type Call } from '../call.js';
import type { PageCommand } from '../paging.js';
import type { AnalyticsBasis, AnalyticsSource, Ports, PostSums } from '../ports/index.js';
import type { PageRequest } from '../page.js';
import { ok, type Result } from '../result.js';
import type { Connection } from '../connections/connection.js';

import type { Delivery } from '../deliveries/delivery.js';
import { parseId, type DeliveryId, type ExternalPostId, type WorkspaceId } from '../ids.js';
import { addAccountDays, addDaysToGroups, readAccountDays, type AccountDays } from './account-days.js';
import { readAccountHistory, sumAccounts } from './accounts.js';
import { describeActivity, type AnalyticsNote } from './analytics-note.js';
import { compareMetrics } from './compare.js';
import { computeCoverage, type CoverageFacts } from './coverage.js';
import { parseDateRange, previousRange, type DateRange } from './date-range.js';
import { explainListings } from './explain-listings.js';
import { explainMissing } from './explain-missing.js';
import type { ExternalPost } from './external-post.js';
import { findAnalyticsSources, type AnalyticsFilter } from './find-sources.js';
import { BASELINE_DAYS } from './gains.js';
import { pageGroups, sortMetric, type GroupSort } from './group-page.js';
import {
  accountGroupKey,
  buildAccountGroups,
  buildPostGroups,
  isAccountGroup,
  type DescribedPosts,
  type GroupBy,
} from './groups.js';
import { toAnalyticsMetrics } from './metric-sums.js';
import { analyticsMetricNames, isAccountMetric, type AnalyticsMetricName } from './metrics.js';
import { refreshMetrics } from './refresh-metrics.js';
import type { AnalyticsReport, PreviousReport } from './report.js';
import { buildSeries, listIntervals, type SeriesInterval } from './series.js';
import type { Granularity } from './time-buckets.js';

export interface GetAnalytics extends PageCommand, AnalyticsFilter {
  /** Dates (`2026-03-01`), both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
  readonly granularity: Granularity;
  readonly groupBy: GroupBy;
  readonly metrics?: readonly AnalyticsMetricName[] | undefined;
  readonly basis: AnalyticsBasis;
  readonly source: AnalyticsSource;
  readonly compare?: 'previous' | undefined;
  readonly sort: GroupSort;
}

export type GetAnalyticsFailure =
  | 'profile.not_found'
  | 'connection.not_found'
  | 'platform.not_found'
  | 'request.invalid'
  | 'request.invalid_cursor';

export type AnalyticsPorts = Pick<
  Ports,
  | 'clock'
  | 'connections'
  | 'cursors'
  | 'ids'
  | 'manifests'
  | 'platforms'
  | 'deliveries'
  | 'externalPosts'
  | 'profiles'
  | 'sessions'
  | 'snapshots'
  | 'transactions'
  | 'workspaces'
>;

/**
 * Counts to date of the posts published in the range, or what was gained in it, over all platforms that the
 * caller reaches.
 */
export async function getAnalytics(
  ports: AnalyticsPorts,
  call: Call,
  { limit, cursor, ...command }: GetAnalytics,
): Promise<Result<AnalyticsReport, GetAnalyticsFailure>> {
  const scope = {
    workspaceId: call.workspaceId,
    list: 'analytics',
    filter: { reach: reachOf(call), ...command },
  };
  const after = cursor === undefined ? ok(undefined) : ports.cursors.read(scope, cursor);
  if (!after.ok) return after;
  const read = await readAnalytics(ports, call, command, { page: { limit, after: after.value } });
  if (!read.ok) return read;
  const { next, ...report } = read.value;
  return ok({ ...report, nextCursor: next === undefined ? null : ports.cursors.write(scope, next) });
}

type ReadAnalytics = Omit<GetAnalytics, 'limit' | 'cursor'>;

interface ReadOptions {
  readonly page: PageRequest;
  /** Whether each group has a series of its own. */
  readonly splitsSeries?: boolean;
}

interface AnalyticsRead extends Omit<AnalyticsReport, 'nextCursor'> {
  /** The position after the last group, when more follow. */
  readonly next: string | undefined;
  readonly groupSeries: ReadonlyMap<string, AnalyticsReport['series']>;
}

/** The report, with the position of the next page. */
export async function readAnalytics(
  ports: AnalyticsPorts,
  call: Call,
  command: ReadAnalytics,
  { page, splitsSeries = false }: ReadOptions,
): Promise<Result<AnalyticsRead, Exclude<GetAnalyticsFailure, 'request.invalid_cursor'>>> {
  const sources = await findAnalyticsSources(ports, call, command);
  if (!sources.ok) return sources;
  const { connections, timezone } = sources.value;
  const range = parseDateRange(ports.clock.now(), command.timezone ?? timezone, command);
  if (!range.ok) return range;

  const { sort, basis, source, metrics = defaultMetrics(basis) } = command;
  const sortedBy = sortMetric(sort);
  const needed = sortedBy ? [...metrics, sortedBy] : metrics;
  const now = ports.clock.now();
  const previous = command.compare ? previousRange(range.value) : null;
  const isCurrent = range.value.endsAt > now;
  const needsPosts = needed.some((name) => !isAccountMetric(name));
  const listedSince = source === 'all' ? listingStart(basis, previous ?? range.value) : null;
  const [refreshNotes, { days, notes: dayNotes }] = await Promise.all([
    refreshMetrics(ports, call, connections, {
      posts: needsPosts ? freshnessPeriod(basis, previous ?? range.value, range.value, now) : null,
      accounts: isCurrent && needed.some(isAccountMetric),
      listedSince,
    }),
    // What an account gained on a day belongs to no post.
    readAccountDays(ports, call, needsPosts && basis === 'activity' ? connections : [], [
      range.value,
      ...(previous ? [previous] : []),
    ]),
  ]);
  const freshnessNotes = [...refreshNotes, ...dayNotes];
  const notes = [
    ...freshnessNotes,
    ...(listedSince
      ? await explainListings(ports, connections, { since: listedSince, timezone: range.value.timezone })
      : []),
  ];
  const query = { connections, basis, source, groupBy: command.groupBy, sort, page, days };
  const intervals = listIntervals(range.value, command.granularity);
  const read = await readReport(ports, call, query, range.value, intervals);
  const facts: CoverageFacts = {
    now,
    basis,
    connections,
    requestedPlatforms: command.platform ?? [],
    manifests: ports.manifests,
    notes: freshnessNotes,
  };
  const coverage = computeCoverage(
    { summed: read.summed.connections, accounts: read.accounts, period: read.period },
    metrics,
    facts,
  );
  const earlier = previous && (await readPrevious(ports, call, query, previous));
  return ok({
    range: range.value,
    basis,
    metrics,
    postCount: read.summed.total.postCount,
    totals: read.totals,
    ...(earlier && { previous: earlier, change: compareMetrics(read.totals, earlier.totals) }),
    coverage,
    groups: read.groups.items,
    series: read.series,
    notes: [
      ...notes,
      ...(basis === 'activity' ? explainActivity(read, needed) : []),
      ...explainMissing(coverage, { ...facts, isStore: command.connectionId !== undefined }),
    ],
    dataSince: await ports.snapshots.findFirstTime(
      call.workspaceId,
      connections.map(({ id }) => id),
    ),
    asOf: oldestOf(read, needed) ?? now,
    next: read.groups.next,
    groupSeries: splitsSeries
      ? await readGroupSeries(ports, call, query, { range: range.value, intervals, read })
      : new Map(),
  });
}

/** What accounts gained belongs to no post: it is included by default where gains are reported. */
const defaultMetrics = (basis: AnalyticsBasis) =>
  basis === 'activity'
    ? analyticsMetricNames
    : analyticsMetricNames.filter((name) => name !== 'followers_gained');

/** What was gained in a range belongs mostly to posts of the last month. */
const listingStart = (basis: AnalyticsBasis, { startsAt }: DateRange): Date =>
  basis === 'published' ? startsAt : new Date(startsAt.getTime() - GAINING_MS);

/** Activity includes today; of the posts that gain now, those of the last week are read live. */
function freshnessPeriod(
  basis: AnalyticsBasis,
  { startsAt: from }: DateRange,
  { endsAt: to }: DateRange,
  now: Date,
): { readonly from: Date; readonly to: Date } | null {
  if (basis === 'published') return { from, to };
  return to > now ? { from: new Date(now.getTime() - ACTIVE_MS), to } : null;
}

interface ReportQuery {
  readonly connections: readonly Connection[];
  readonly basis: AnalyticsBasis;
  readonly source: AnalyticsSource;
  readonly groupBy: GroupBy;
  readonly sort: GroupSort;
  readonly page: PageRequest;
  /** Read for a report about gains. */
  readonly days: AccountDays;
}

async function readReport(
  ports: Pick<Ports, 'clock' | 'deliveries' | 'externalPosts' | 'snapshots'>,
  { workspaceId }: Call,
  { connections, basis, source, groupBy, sort, page, days }: ReportQuery,
  range: DateRange,
  intervals: readonly SeriesInterval[],
) {
  const period = { from: range.startsAt, to: range.endsAt };
  const connectionIds = connections.map(({ id }) => id);
  const [ofPosts, snapshots] = await Promise.all([
    ports.snapshots.sumPosts(workspaceId, {
      connectionIds,
      ...period,
      basis,
      source,
      intervals: intervals.map(({ startsAt }) => startsAt),
      grouping: isAccountGroup(groupBy)
        ? { by: groupBy, keys: connections.map((connection) => accountGroupKey(connection, groupBy)) }
        : { by: groupBy, sort, page },
    }),
    ports.snapshots.listOfAccounts(workspaceId, {
      connectionIds,
      from: new Date(period.from.getTime() - BASELINE_MS),
      to: period.to,
    }),
  ]);
  const summed = addAccountDays(ofPosts, days, { connections, range, intervals, groupBy });
  const accounts = connections.map((connection) =>
    readAccountHistory(connection, snapshots.get(connection.id) ?? [], period),
  );
  const followers = basis === 'activity' ? accounts : null;
  return {
    summed,
    accounts,
    period,
    totals: toAnalyticsMetrics(summed.total.sums, sumAccounts(accounts, period)),
    groups: isAccountGroup(groupBy)
      ? pageGroups(buildAccountGroups(groupBy, summed.groups.items, accounts, range), sort, page)
      : {
          items: buildPostGroups(
            groupBy,
            summed.groups.items,
            await findDescribedPosts(ports, workspaceId, groupBy, summed),
            connections,
          ),
          next: summed.groups.next,
        },
    series: buildSeries(intervals, summed.intervals, followers, { range, now: ports.clock.now() }),
  };
}

type ReadReport = Awaited<ReturnType<typeof readReport>>;

async function readGroupSeries(
  ports: Pick<Ports, 'clock' | 'snapshots'>,
  { workspaceId }: Call,
  { connections, basis, source, groupBy, days }: ReportQuery,
  {
    range,
    intervals,
    read,
  }: {
    readonly range: DateRange;
    readonly intervals: readonly SeriesInterval[];
    readonly read: ReadReport;
  },
): Promise<AnalyticsRead['groupSeries']> {
  const keys = read.groups.items.map(({ key }) => key);
  const ofPosts = await ports.snapshots.sumGroupsByInterval(workspaceId, {
    connectionIds: connections.map(({ id }) => id),
    ...read.period,
    basis,
    source,
    intervals: intervals.map(({ startsAt }) => startsAt),
    grouping: isAccountGroup(groupBy)
      ? { by: groupBy, keys: connections.map((connection) => accountGroupKey(connection, groupBy)) }
      : { by: groupBy },
    groups: keys,
  });
  const sums = addDaysToGroups(ofPosts, days, { connections, range, intervals, groupBy });
  return new Map(
    keys.map((key) => {
      const accounts = isAccountGroup(groupBy)
        ? read.accounts.filter(({ connection }) => accountGroupKey(connection, groupBy) === key)
        : [];
      const followers = basis === 'activity' ? accounts : null;
      return [
        key,
        buildSeries(intervals, sums.get(key) ?? new Map(), followers, { range, now: ports.clock.now() }),
      ];
    }),
  );
}

async function findDescribedPosts(
  ports: Pick<Ports, 'deliveries' | 'externalPosts'>,
  workspaceId: WorkspaceId,
  groupBy: GroupBy,
  { groups: { items } }: PostSums,
): Promise<DescribedPosts> {
  const ids = items.flatMap(({ deliveryIds }) => deliveryIds);
  const externalIds = groupBy === 'post' ? items.flatMap(({ key }) => parseId('ext', key) ?? []) : [];
  const [deliveries, externalPosts] = await Promise.all([
    ids.length > 0 ? ports.deliveries.listByIds(workspaceId, ids) : [],
    externalIds.length > 0 ? ports.externalPosts.listByIds(workspaceId, externalIds) : [],
  ]);
  return {
    deliveries: new Map<DeliveryId, Delivery>(deliveries.map((delivery) => [delivery.id, delivery])),
    externalPosts: new Map<ExternalPostId, ExternalPost>(externalPosts.map((post) => [post.id, post])),
  };
}

async function readPrevious(
  ports: Pick<Ports, 'clock' | 'deliveries' | 'externalPosts' | 'snapshots'>,
  call: Call,
  query: ReportQuery,
  range: DateRange,
): Promise<PreviousReport> {
  const { summed, totals } = await readReport(ports, call, { ...query, groupBy: 'platform' }, range, []);
  return { range, postCount: summed.total.postCount, totals };
}

function explainActivity(
  { summed: { total }, accounts }: ReadReport,
  needed: readonly AnalyticsMetricName[],
): readonly AnalyticsNote[] {
  const histories = needed.includes('followers_gained') ? accounts : [];
  return describeActivity({
    decreased: total.decreased + histories.filter(({ hasDecreased }) => hasDecreased).length,
    withoutBaseline: total.withoutBaseline + histories.filter(({ lacksBaseline }) => lacksBaseline).length,
  });
}

/** The time of the oldest snapshot that the report uses. */
function oldestOf({ summed, accounts }: ReadReport, needed: readonly AnalyticsMetricName[]): Date | null {
  const times = [
    ...(needed.some((name) => !isAccountMetric(name))
      ? summed.connections.flatMap(({ oldestSnapshotAt }) => oldestSnapshotAt ?? [])
      : []),
    ...(needed.some(isAccountMetric)
      ? accounts.flatMap(({ snapshots }) => snapshots.at(-1)?.takenAt ?? [])
      : []),
  ];
  return times.reduce<Date | null>((oldest, time) => (oldest && oldest < time ? oldest : time), null);
}

const BASELINE_MS = BASELINE_DAYS * 86_400_000;
const ACTIVE_MS = 7 * 86_400_000;
const GAINING_MS = 30 * 86_400_000;
