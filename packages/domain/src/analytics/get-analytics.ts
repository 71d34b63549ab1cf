import { reachOf, type Call } from '../call.js';
import type { PageCommand } from '../paging.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { computeCoverage } from './coverage.js';
import { parseDateRange } from './date-range.js';
import { findAnalyticsSources } from './find-analytics-sources.js';
import { pageGroups, sortMetric, type GroupSort } from './group-page.js';
import { groupMetrics, type GroupBy } from './groups.js';
import { sumMetrics } from './metric-sums.js';
import { analyticsMetricNames, type AnalyticsMetricName } from './metrics.js';
import { countPosts, deduplicateAccounts } from './collected-metrics.js';
import { readMetrics } from './read-metrics.js';
import type { AnalyticsReport } from './report.js';
import { buildSeries } from './series.js';
import type { Granularity } from './time-buckets.js';

export interface GetAnalytics extends PageCommand {
  /** Dates (`2026-03-01`), both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
  readonly granularity: Granularity;
  readonly groupBy: GroupBy;
  readonly metrics?: readonly AnalyticsMetricName[] | undefined;
  readonly profileId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly platform?: readonly string[] | undefined;
  readonly sort: GroupSort;
}

export type GetAnalyticsFailure =
  | 'profile.not_found'
  | 'connection.not_found'
  | 'platform.not_found'
  | 'request.invalid'
  | 'request.invalid_cursor';

/** Lifetime metrics of the posts published in the range, over all platforms that the caller reaches. */
export async function getAnalytics(
  ports: Pick<
    Ports,
    | 'clock'
    | 'connections'
    | 'cursors'
    | 'manifests'
    | 'platforms'
    | 'posts'
    | 'deliveries'
    | 'profiles'
    | 'sessions'
    | 'snapshots'
    | 'transactions'
    | 'workspaces'
  >,
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
  const sources = await findAnalyticsSources(ports, call, command);
  if (!sources.ok) return sources;
  const { connections, timezone } = sources.value;
  const range = parseDateRange(ports.clock.now(), command.timezone ?? timezone, command);
  if (!range.ok) return range;

  const { sort, metrics = analyticsMetricNames } = command;
  const needed = [...metrics, sortMetric(sort)];
  const { notes, oldestSnapshotAt, ...numbers } = await readMetrics(ports, call, connections, range.value, {
    posts: needed.some((name) => name !== null && name !== 'followers'),
    accounts: needed.includes('followers'),
  });
  const ids = connections.map(({ id }) => id);
  const groups = pageGroups(groupMetrics(numbers, command.groupBy), sort, { limit, after: after.value });
  return ok({
    range: range.value,
    metrics,
    postCount: countPosts(numbers.posts),
    totals: sumMetrics(
      numbers.posts.map((post) => post.metrics),
      deduplicateAccounts(numbers.accounts).map((account) => account.metrics),
    ),
    coverage: computeCoverage(numbers, metrics),
    groups: groups.items,
    series: buildSeries(numbers.posts, range.value, command.granularity),
    notes,
    dataSince: await ports.snapshots.findFirstTime(call.workspaceId, ids),
    asOf: oldestSnapshotAt ?? ports.clock.now(),
    nextCursor: groups.next === undefined ? null : ports.cursors.write(scope, groups.next),
  });
}
