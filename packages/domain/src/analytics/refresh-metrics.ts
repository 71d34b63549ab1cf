import { actorName, type Call } from '../call.js';
import type { Snapshot } from '../ports/index.js';
import type { Result } from '../result.js';
import { describeOutcome, type AnalyticsNote } from './analytics-note.js';
import { fetchMetrics, type LiveMetricsPorts, type MetricsRequest } from './fetch-metrics.js';

export interface RefreshResult {
  readonly snapshots: readonly Snapshot[];
  readonly notes: readonly AnalyticsNote[];
}

/**
 * How long a report waits for platforms. All are queried concurrently; results that arrive later are left to
 * the next report.
 */
const BUDGET_MS = 5_000;

/** A failure or timeout of one platform becomes a note and does not affect the others. */
export async function refreshMetrics(
  ports: LiveMetricsPorts,
  call: Call,
  plans: readonly (MetricsRequest & { readonly deferredPosts: number })[],
): Promise<RefreshResult> {
  const wanted = plans.filter(({ deliveries, includesAccount }) => deliveries.length > 0 || includesAccount);
  if (wanted.length === 0) return { snapshots: [], notes: [] };
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const timedOut = ports.clock.sleep(BUDGET_MS, signal).then(() => 'out_of_time' as const);
  const taken: Snapshot[] = [];
  try {
    const outcomes = await Promise.all(
      wanted.map(async (plan) => {
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
