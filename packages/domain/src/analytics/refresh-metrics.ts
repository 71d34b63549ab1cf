import { type Call, actorName } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { Ports, Snapshot } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { type AnalyticsNote, describeOutcome } from './analytics-note.js';
import { accountKeyOf } from './accounts.js';
import {
  type LiveMetricsPorts,
  fetchMetrics,
  type MetricsOutcome,
  type MetricsRequest,
} from './fetch-metrics.js';
import { needsListing, type ListingRequest } from './list-account-posts.js';

/** What a report needs to be fresh: only the sources of the requested metrics. */
interface FreshnessNeed {
  /** The posts that were published in this time; null for none. */
  readonly posts: { readonly from: Date; readonly to: Date } | null;
  readonly accounts: boolean;
  /** Since when posts made elsewhere are listed; null where only those made here count. */
  readonly listedSince: Date | null;
}

const FRESH_MS = 3_600_000;
/**
 * How long a report waits for platforms. All are queried concurrently; results that arrive later are left to
 * the next report.
 */
const BUDGET_MS = 5_000;

/**
 * Queries platforms for the metrics of a report that are missing or outdated, and stores them. A failure or
 * timeout of one platform becomes a note and does not affect the others.
 */
export async function refreshMetrics(
  ports: LiveMetricsPorts & Pick<Ports, 'deliveries' | 'externalPosts' | 'snapshots' | 'transactions'>,
  call: Call,
  connections: readonly Connection[],
  need: FreshnessNeed,
): Promise<readonly AnalyticsNote[]> {
  const plans = await planRefresh(ports, call, connections, need);
  if (plans.length === 0) return [];
  const { snapshots, notes } = await fetchPlanned(ports, call, plans);
  if (snapshots.length > 0) {
    await ports.transactions.run(async (tx) => ok(await tx.snapshots.insert(snapshots)));
  }
  return notes;
}

type RefreshPlan = MetricsRequest & { readonly deferredPosts: number };
type RefreshPorts = Pick<
  Ports,
  'clock' | 'deliveries' | 'externalPosts' | 'platforms' | 'snapshots' | 'transactions'
>;

async function planRefresh(
  ports: RefreshPorts,
  { workspaceId }: Call,
  connections: readonly Connection[],
  { posts: period, accounts, listedSince }: FreshnessNeed,
): Promise<readonly RefreshPlan[]> {
  const connectionIds = connections.map(({ id }) => id);
  const source = listedSince ? 'all' : 'switchboard';
  const now = ports.clock.now();
  const [stale, latest, listings] = await Promise.all([
    period ? ports.snapshots.listStale(workspaceId, { connectionIds, ...period, source }, now) : [],
    accounts ? ports.snapshots.listLatestOfAccounts(workspaceId, connectionIds) : null,
    listedSince ? requestListings(ports, workspaceId, connections, listedSince) : null,
  ]);
  const staleOf = new Map(stale.map((one) => [one.connectionId, one]));
  const ids = stale.flatMap(({ deliveryIds }) => deliveryIds);
  const externalIds = stale.flatMap(({ externalPostIds }) => externalPostIds);
  const [deliveries, externalPosts] = await Promise.all([
    ids.length > 0 ? ports.deliveries.listByIds(workspaceId, ids) : [],
    externalIds.length > 0 ? ports.externalPosts.listByIds(workspaceId, externalIds) : [],
  ]);
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const postOf = new Map(externalPosts.map((post) => [post.id, post]));
  return connections
    .map((connection) => {
      const { deliveryIds = [], externalPostIds = [], count = 0 } = staleOf.get(connection.id) ?? {};
      const takenAt = latest?.get(connection.id)?.takenAt;
      return {
        connection,
        deliveries: deliveryIds.flatMap((id) => deliveryOf.get(id) ?? []),
        externalPosts: externalPostIds.flatMap((id) => postOf.get(id) ?? []),
        includesAccount: latest !== null && (!takenAt || now.getTime() - takenAt.getTime() > FRESH_MS),
        listing: listings?.get(connection.id) ?? null,
        deferredPosts: count - deliveryIds.length - externalPostIds.length,
      };
    })
    .filter(
      (plan) =>
        plan.deliveries.length > 0 ||
        plan.externalPosts.length > 0 ||
        plan.includesAccount ||
        (plan.listing !== null && needsListing(plan.listing, now)),
    );
}

/** An account that is connected several times is listed once, by its first connection that can be read. */
async function requestListings(
  ports: Pick<Ports, 'clock' | 'externalPosts' | 'platforms' | 'transactions'>,
  workspaceId: WorkspaceId,
  connections: readonly Connection[],
  since: Date,
): Promise<ReadonlyMap<ConnectionId, ListingRequest>> {
  const listable = connections.filter(
    ({ platform, status }) =>
      status !== 'needs_reauth' && ports.platforms.find(platform)?.analytics?.listPosts !== undefined,
  );
  const ids = [...Map.groupBy(listable, accountKeyOf).values()].flatMap(([first]) => first?.id ?? []);
  if (ids.length === 0) return new Map();
  await ports.transactions.run(async (tx) =>
    ok(await tx.externalPosts.request(workspaceId, ids, ports.clock.now())),
  );
  const listings = await ports.externalPosts.listListings(workspaceId, ids);
  return new Map([...listings].map(([id, listing]) => [id, { listing, since }]));
}

async function fetchPlanned(
  ports: LiveMetricsPorts,
  call: Call,
  plans: readonly RefreshPlan[],
): Promise<{ readonly snapshots: readonly Snapshot[]; readonly notes: readonly AnalyticsNote[] }> {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const timedOut = ports.clock.sleep(BUDGET_MS, signal).then(() => 'out_of_time' as const);
  const taken: Snapshot[] = [];
  try {
    const outcomes = await Promise.all(
      plans.map(async (plan) => {
        const reading = fetchMetrics(
          ports,
          plan,
          actorName(call),
          signal,
          (snapshot) => void taken.push(snapshot),
        );
        const outcome: Result<MetricsOutcome> | 'out_of_time' = await Promise.race([reading, timedOut]);
        return describeOutcome(plan, outcome);
      }),
    );
    return { snapshots: [...taken], notes: outcomes.flat() };
  } finally {
    stop.abort();
  }
}
