import { type Call, actorName } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { Ports, Snapshot } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { type AnalyticsNote, describeOutcome } from './analytics-note.js';
import { type LiveMetricsPorts, fetchMetrics, type MetricsRequest } from './fetch-metrics.js';

/** What a report needs to be fresh: only the sources of the requested metrics. */
interface FreshnessNeed {
  /** The posts that were published in this time; null for none. */
  readonly posts: { readonly from: Date; readonly to: Date } | null;
  readonly accounts: boolean;
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
  ports: LiveMetricsPorts & Pick<Ports, 'deliveries' | 'snapshots' | 'transactions'>,
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

async function planRefresh(
  ports: Pick<Ports, 'clock' | 'deliveries' | 'snapshots'>,
  { workspaceId }: Call,
  connections: readonly Connection[],
  need: FreshnessNeed,
): Promise<readonly RefreshPlan[]> {
  const connectionIds = connections.map(({ id }) => id);
  const now = ports.clock.now();
  const [stale, accounts] = await Promise.all([
    need.posts ? ports.snapshots.listStale(workspaceId, { connectionIds, ...need.posts }, now) : [],
    need.accounts ? ports.snapshots.listLatestOfAccounts(workspaceId, connectionIds) : null,
  ]);
  const staleOf = new Map(stale.map((one) => [one.connectionId, one]));
  const ids = stale.flatMap(({ deliveryIds }) => deliveryIds);
  const deliveries = ids.length > 0 ? await ports.deliveries.listByIds(workspaceId, ids) : [];
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return connections
    .map((connection) => {
      const { deliveryIds = [], count = 0 } = staleOf.get(connection.id) ?? {};
      const takenAt = accounts?.get(connection.id)?.takenAt;
      return {
        connection,
        deliveries: deliveryIds.flatMap((id) => byId.get(id) ?? []),
        includesAccount: accounts !== null && (!takenAt || now.getTime() - takenAt.getTime() > FRESH_MS),
        deferredPosts: count - deliveryIds.length,
      };
    })
    .filter((plan) => plan.deliveries.length > 0 || plan.includesAccount);
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
        const outcome: Result<{ readonly unknownPosts: number }> | 'out_of_time' = await Promise.race([
          reading,
          timedOut,
        ]);
        return describeOutcome(plan, outcome);
      }),
    );
    return { snapshots: [...taken], notes: outcomes.flatMap((note) => note ?? []) };
  } finally {
    stop.abort();
  }
}
