import { setTimeout as sleep } from 'node:timers/promises';
import type { Allowance, Limits } from '@switchboard/domain';
import type { RequestCounts } from '@switchboard/persistence';
import type { RateLimit } from './config.js';

/** A tenth of what nobody has taken yet: some dozens of writes for a whole quota, and little lies unused in another process. */
const SHARE = 10;
const ANSWER_MS = 1000;
/** While the common count is away, each process grants what falls to this time, and asks again after it. */
const ALONE_MS = 5000;
const KEPT_MAX = 10_000;

/** The window that runs, as this process knows it. */
interface Window {
  readonly endsMs: number;
  readonly isShared: boolean;
  /** Taken from the common count, and not used yet. */
  here: number;
  /** Of the quota, what no process had taken when it was asked about last. */
  untaken: number;
}

type Key = Parameters<Limits['take']>[0];

/**
 * Takes requests from the common count a slice at a time, so that few of them wait for the database. What is taken in a
 * window is never granted in another, and the slices never add up to more than the quota. `elapsedMs` never goes back.
 */
export function leasedLimits(
  counts: RequestCounts,
  { quota, windowSeconds }: RateLimit,
  elapsedMs: () => number,
  onError: (error: unknown) => void,
): Limits {
  const windows = new Map<string, Window>();
  const leasing = new Map<string, Promise<void>>();

  async function lease(key: Key, runs: Window | null): Promise<void> {
    const count = Math.ceil((runs?.untaken ?? quota) / SHARE);
    // Before the question: a window is never thought to run when it is over.
    const askedMs = elapsedMs();
    let next: Window;
    try {
      const { taken, leftMs } = await inTime(counts.add(key, count, windowSeconds * 1000));
      // Whoever takes the last ones takes what is there, whatever they asked for.
      const granted = Math.max(0, Math.min(count, count - (taken - quota)));
      const untaken = Math.max(0, quota - taken);
      next = { endsMs: askedMs + leftMs, isShared: true, here: granted, untaken };
    } catch (error) {
      onError(error);
      const aloneMs = Math.min(windowSeconds * 1000, ALONE_MS);
      const share = Math.ceil((quota * aloneMs) / (windowSeconds * 1000));
      next = { endsMs: elapsedMs() + aloneMs, isShared: false, here: share, untaken: 0 };
    }
    windows.delete(key.lineage);
    windows.set(key.lineage, next);
    for (const oldest of windows.keys()) {
      if (windows.size <= KEPT_MAX) break;
      windows.delete(oldest);
    }
  }

  const allowance = (window: Window, verdict: Allowance['verdict']): Allowance => ({
    quota,
    windowSeconds,
    remaining: window.here + window.untaken,
    resetSeconds: Math.max(1, Math.ceil((window.endsMs - elapsedMs()) / 1000)),
    verdict,
    isShared: window.isShared,
  });

  return {
    async take(key) {
      for (;;) {
        const known = windows.get(key.lineage);
        const runs = known && elapsedMs() < known.endsMs ? known : null;
        if (runs && runs.here > 0) {
          runs.here -= 1;
          return allowance(runs, 'granted');
        }
        if (runs && runs.untaken === 0) return allowance(runs, 'exhausted');
        const under = leasing.get(key.lineage) ?? lease(key, runs).finally(() => leasing.delete(key.lineage));
        leasing.set(key.lineage, under);
        await under;
      }
    },
  };
}

async function inTime<Value>(asked: Promise<Value>): Promise<Value> {
  const over = new AbortController();
  const late = sleep(ANSWER_MS, undefined, { ref: false, signal: over.signal }).then(() => {
    throw new Error('the count of requests did not answer in time');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([asked, late]);
  } finally {
    over.abort();
  }
}
