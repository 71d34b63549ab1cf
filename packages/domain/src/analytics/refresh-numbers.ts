import { actorName, type Call } from '../call.js';
import type { Snapshot } from '../ports/index.js';
import type { Result } from '../result.js';
import { noteOf, type AnalyticsNote } from './analytics-note.js';
import { readLive, type LivePorts, type Subjects } from './read-live.js';

export interface Refreshed {
  readonly taken: readonly Snapshot[];
  readonly notes: readonly AnalyticsNote[];
}

/** How long a report waits for platforms. All are asked at once, and what has not come by then is left for the next time. */
const BUDGET_MS = 5_000;

/** One platform's failure, or its slowness, is a note and costs the others nothing. */
export async function refreshNumbers(
  ports: LivePorts,
  call: Call,
  plans: readonly (Subjects & { readonly left: number })[],
): Promise<Refreshed> {
  const wanted = plans.filter(({ deliveries, account }) => deliveries.length > 0 || account);
  if (wanted.length === 0) return { taken: [], notes: [] };
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const timeUp = ports.clock.sleep(BUDGET_MS, signal).then(() => 'out_of_time' as const);
  const taken: Snapshot[] = [];
  try {
    const outcomes = await Promise.all(
      wanted.map(async (plan) => {
        const reading = readLive(
          ports,
          plan,
          actorName(call),
          signal,
          (snapshot) => void taken.push(snapshot),
        );
        const outcome: Result<{ readonly gone: number }> | 'out_of_time' = await Promise.race([
          reading,
          timeUp,
        ]);
        return noteOf(plan, outcome);
      }),
    );
    return { taken: [...taken], notes: outcomes.flatMap((note) => note ?? []) };
  } finally {
    stop.abort();
  }
}
