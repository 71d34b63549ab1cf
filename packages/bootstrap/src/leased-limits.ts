import { setTimeout as sleep } from 'node:timers/promises';
import { chargedLineages } from '@switchboard/domain/access';
import type { CountedKey, Limits, QuotaName, QuotaState } from '@switchboard/domain/ports';
import type { RequestCounts } from '@switchboard/persistence';
import type { RateLimit } from './config.js';

/**
 * A slice is a tenth of the unclaimed quota: a few dozen writes for a whole quota, and little stays unused in
 * other processes.
 */
const SLICES = 10;
const RESPONSE_TIMEOUT_MS = 1000;
/**
 * While the shared count is unreachable, each process grants the share of this time, and queries again after
 * it.
 */
const FALLBACK_MS = 5000;
const MAX_WINDOWS = 10_000;

/** A quota, with the id under which all processes count it. */
interface Bucket extends RateLimit {
  readonly name: QuotaName;
  readonly id: string;
  readonly workspaceId: CountedKey['workspaceId'];
}

/** The current window of a bucket, as this process knows it. */
interface QuotaWindow {
  readonly endsMs: number;
  readonly isShared: boolean;
  /** Leased from the shared count, and not used yet. */
  leased: number;
  /** The part of the quota that no process had leased at the last query. */
  unclaimed: number;
}

/** The quotas of a lineage and a workspace. */
interface Quotas {
  readonly key: RateLimit;
  readonly workspace: RateLimit;
}

/**
 * The rate limiter of keys and workspaces: leases requests from the shared counts in slices, so that few
 * requests wait for the database. A slice leased in one window is never granted in another, and the slices
 * never add up to more than the quota. A request that one quota rejects takes nothing from the others.
 * `elapsedMs` is monotonic; `slices` is the number of slices of a whole quota.
 */
export function leasedLimits(
  counts: RequestCounts,
  quotas: Quotas,
  elapsedMs: () => number,
  onError: (error: unknown) => void,
  slices = SLICES,
): Limits {
  const windows = new Map<string, QuotaWindow>();
  /** The buckets for the next statement. */
  const waiting = new Map<string, Bucket>();
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const bucketsOf = (key: CountedKey): readonly Bucket[] => {
    const { workspaceId } = key;
    return [
      ...chargedLineages(key).map((id): Bucket => ({ name: 'key', id, workspaceId, ...quotas.key })),
      { name: 'workspace', id: workspaceId, workspaceId, ...quotas.workspace },
    ];
  };

  const currentWindow = ({ id }: Bucket): QuotaWindow | null => {
    const window = windows.get(id);
    return window && elapsedMs() < window.endsMs ? window : null;
  };

  function open(id: string, window: QuotaWindow): void {
    windows.delete(id);
    windows.set(id, window);
    for (const oldest of windows.keys()) {
      if (windows.size <= MAX_WINDOWS) break;
      windows.delete(oldest);
    }
  }

  /** A window of this process alone, with its share for a few seconds. */
  function openFallback({ id, quota, windowSeconds }: Bucket): void {
    const fallbackMs = Math.min(windowSeconds * 1000, FALLBACK_MS);
    const leased = Math.ceil((quota * fallbackMs) / (windowSeconds * 1000));
    open(id, { endsMs: elapsedMs() + fallbackMs, isShared: false, leased, unclaimed: 0 });
  }

  async function lease(buckets: readonly Bucket[], windowSeconds: number): Promise<void> {
    const requested = buckets.map((bucket) => ({
      ...bucket,
      count: Math.ceil((currentWindow(bucket)?.unclaimed ?? bucket.quota) / slices),
    }));
    // Before the query: a window is never considered open after its end.
    const requestedMs = elapsedMs();
    try {
      const taken = await withTimeout(counts.add(requested, windowSeconds * 1000));
      for (const [index, slice] of requested.entries()) {
        const row = taken[index];
        if (!row) {
          openFallback(slice);
          continue;
        }
        const { id, count, quota } = slice;
        const { taken: all, leftMs } = row;
        // The last slice is what remains, even if more was requested.
        const leased = Math.max(0, Math.min(count, count - (all - quota)));
        open(id, {
          endsMs: requestedMs + leftMs,
          isShared: true,
          leased,
          unclaimed: Math.max(0, quota - all),
        });
      }
    } catch (error) {
      onError(error);
      for (const bucket of buckets) openFallback(bucket);
    }
  }

  /** Leases what was requested while the last statement ran, in one statement for each window length. */
  async function leaseWaiting(): Promise<void> {
    // Another request may have leased it meanwhile.
    const buckets = [...waiting.values()].filter((bucket) => !currentWindow(bucket)?.leased);
    waiting.clear();
    for (const windowSeconds of new Set(buckets.map((bucket) => bucket.windowSeconds))) {
      const sameWindow = buckets.filter((bucket) => bucket.windowSeconds === windowSeconds);
      await lease(sameWindow, windowSeconds);
    }
  }

  /**
   * Resolves when the buckets are leased. One statement runs at a time, so that many concurrent keys do not
   * cause many statements.
   */
  function leaseAll(buckets: readonly Bucket[]): Promise<void> {
    for (const bucket of buckets) waiting.set(bucket.id, bucket);
    next ??= running.then(() => {
      next = null;
      running = leaseWaiting();
      return running;
    });
    return next;
  }

  const stateOf = ({ name, quota, windowSeconds }: Bucket, window: QuotaWindow): QuotaState => ({
    name,
    quota,
    windowSeconds,
    remaining: window.leased + window.unclaimed,
    resetSeconds: Math.max(1, Math.ceil((window.endsMs - elapsedMs()) / 1000)),
  });

  return {
    async take(key) {
      const buckets = bucketsOf(key);
      for (;;) {
        const current = buckets.map((bucket) => ({ bucket, window: currentWindow(bucket) }));
        for (const { bucket, window } of current) {
          if (!window || window.leased > 0 || window.unclaimed > 0) continue;
          const exhausted = stateOf(bucket, window);
          return { exhausted, quotas: [exhausted], isShared: window.isShared };
        }
        const empty = current.filter(({ window }) => !window || window.leased === 0);
        if (empty.length === 0) {
          const taken = current.flatMap(({ bucket, window }) => (window ? [{ bucket, window }] : []));
          for (const { window } of taken) window.leased -= 1;
          return {
            exhausted: null,
            quotas: leastOfEach(taken.map(({ bucket, window }) => stateOf(bucket, window))),
            isShared: taken.every(({ window }) => window.isShared),
          };
        }
        await leaseAll(empty.map(({ bucket }) => bucket));
      }
    },
  };
}

/**
 * Of several quotas of one name, such as those of a key and its ancestors, the one with the least remaining.
 */
function leastOfEach(states: readonly QuotaState[]): readonly QuotaState[] {
  const least = new Map<QuotaName, QuotaState>();
  for (const state of states) {
    const other = least.get(state.name);
    if (!other || state.remaining < other.remaining) least.set(state.name, state);
  }
  return [...least.values()];
}

async function withTimeout<Value>(pending: Promise<Value>): Promise<Value> {
  const completed = new AbortController();
  const timeout = sleep(RESPONSE_TIMEOUT_MS, undefined, { ref: false, signal: completed.signal }).then(() => {
    throw new Error('the shared request count timed out');
  });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([pending, timeout]);
  } finally {
    completed.abort();
  }
}
