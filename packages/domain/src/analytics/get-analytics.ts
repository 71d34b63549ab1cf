import { reachOf, type Call } from '../call.js';
import type { PageCommand } from '../paging.js';
import type { Ports, ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Connection } from '../connections/connection.js';
import { findReachableConnection } from '../connections/find-reachable.js';

import type { ConnectionId } from '../ids.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Profile } from '../profiles/profile.js';
import { computeCoverage } from './coverage.js';
import { parseDateRange } from './date-range.js';
import { explainMissing } from './explain-missing.js';
import { pageGroups, sortMetric, type GroupSort } from './group-page.js';
import { groupMetrics, type GroupBy } from './groups.js';
import { sumMetrics } from './metric-sums.js';
import { analyticsMetricNames, type AnalyticsMetricName } from './metrics.js';
import { countPosts, deduplicateAccounts } from './collected-metrics.js';
import { readMetrics } from './read-metrics.js';
import type { AnalyticsReport } from './report.js';
import { buildSeries } from './series.js';
import type { Granularity } from './time-buckets.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';

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

type GetAnalyticsFailure =
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
    | 'ids'
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
  const facts = {
    now: ports.clock.now(),
    connections,
    requestedPlatforms: command.platform ?? [],
    manifests: ports.manifests,
    notes,
  };
  const coverage = computeCoverage(numbers, metrics, facts);
  const groups = pageGroups(groupMetrics(numbers, command.groupBy), sort, { limit, after: after.value });
  return ok({
    range: range.value,
    metrics,
    postCount: countPosts(numbers.posts),
    totals: sumMetrics(
      numbers.posts.map((post) => post.metrics),
      deduplicateAccounts(numbers.accounts).map((account) => account.metrics),
    ),
    coverage,
    groups: groups.items,
    series: buildSeries(numbers.posts, range.value, command.granularity),
    notes: [...notes, ...explainMissing(coverage, { ...facts, isStore: command.connectionId !== undefined })],
    dataSince: await ports.snapshots.findFirstTime(call.workspaceId, ids),
    asOf: oldestSnapshotAt ?? ports.clock.now(),
    nextCursor: groups.next === undefined ? null : ports.cursors.write(scope, groups.next),
  });
}

interface AnalyticsSources {
  /** Social accounts, oldest first. */
  readonly connections: readonly Connection[];
  /** The time zone of the days: the profile's when the report covers one profile, else the workspace's. */
  readonly timezone: string;
}

/**
 * The accounts that a report covers. A connection or profile that the caller names and cannot reach is not
 * found.
 */
async function findAnalyticsSources(
  ports: Pick<ReadPorts, 'connections' | 'manifests' | 'profiles' | 'workspaces'>,
  call: Call,
  filter: {
    readonly profileId?: string | undefined;
    readonly connectionId?: string | undefined;
    readonly platform?: readonly string[] | undefined;
  },
): Promise<Result<AnalyticsSources, 'profile.not_found' | 'connection.not_found' | 'platform.not_found'>> {
  const unknownPlatform = findUnknownPlatform(ports.manifests, filter.platform ?? []);
  if (unknownPlatform) return unknownPlatform;
  let profile: Profile | null = null;
  if (filter.profileId !== undefined) {
    const found = await findReachableProfile(ports, call, filter.profileId);
    if (!found.ok) return found;
    profile = found.value;
  }
  let ids: readonly ConnectionId[] | undefined;
  if (filter.connectionId !== undefined) {
    const found = await findReachableConnection(ports, call, filter.connectionId);
    if (!found.ok) return found;
    ids = [found.value.id];
  }
  const connections = await ports.connections.listAll(call.workspaceId, {
    reach: reachOf(call),
    kind: 'social',
    profileId: profile?.id,
    platforms: filter.platform,
    ids,
  });
  return ok({ connections, timezone: await resolveTimezone(ports, call, profile, connections) });
}

async function resolveTimezone(
  ports: Pick<ReadPorts, 'profiles' | 'workspaces'>,
  call: Call,
  namedProfile: Profile | null,
  connections: readonly Connection[],
): Promise<string> {
  if (namedProfile) return namedProfile.timezone;
  const [only, another] = new Set(connections.map(({ profileId }) => profileId));
  const profile = only && !another ? await ports.profiles.find(call.workspaceId, only) : null;
  return profile?.timezone ?? (await ports.workspaces.find(call.workspaceId))?.defaultTimezone ?? 'UTC';
}
