import { setTimeout as sleep } from 'node:timers/promises';
import {
  chargedLineages,
  type CountedKey,
  type Limits,
  type QuotaName,
  type QuotaState,
} from '@switchboard/domain';
import type { RequestCounts } from '@switchboard/persistence';
import type { RateLimit } from './config.js';

/** A tenth of what nobody has taken yet: some dozens of writes for a whole quota, and little lies unused in another process. */
const SHARE = 10;
const ANSWER_MS = 1000;
/** While the common count cannot be reached, each process grants what falls to this time, and asks again after it. */
const ALONE_MS = 5000;
const MAX_WINDOWS = 10_000;

/** A quota that a request is taken from, with the id under which all processes count it. */
interface Bucket extends RateLimit {
  readonly name: QuotaName;
  readonly id: string;
  readonly workspaceId: CountedKey['workspaceId'];
}

/** The current window of a bucket, as this process knows it. */
interface Window {
  readonly endsMs: number;
  readonly isShared: boolean;
  /** Taken from the common count, and not used yet. */
  here: number;
  /** Of the quota, what no process had taken when it was asked about last. */
  untaken: number;
}

/** How many requests a lineage and a workspace may make. */
export interface Quotas {
  readonly key: RateLimit;
  readonly workspace: RateLimit;
}

/**
 * Takes requests from the common counts a slice at a time, so that few of them wait for the database. What is taken in a
 * window is never granted in another, and the slices never add up to more than the quota. A request that one quota refuses
 * takes nothing from the others. `elapsedMs` never goes back.
 */
export function leasedLimits(
  counts: RequestCounts,
  quotas: Quotas,
  elapsedMs: () => number,
  onError: (error: unknown) => void,
): Limits {
  const windows = new Map<string, Window>();
  /** What the next statement leases. */
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

  const currentWindow = ({ id }: Bucket): Window | null => {
    const window = windows.get(id);
    return window && elapsedMs() < window.endsMs ? window : null;
  };

  function open(id: string, window: Window): void {
    windows.delete(id);
    windows.set(id, window);
    for (const oldest of windows.keys()) {
      if (windows.size <= MAX_WINDOWS) break;
      windows.delete(oldest);
    }
  }

  /** A window of this process alone, of its share for a few seconds. */
  function openAlone({ id, quota, windowSeconds }: Bucket): void {
    const aloneMs = Math.min(windowSeconds * 1000, ALONE_MS);
    const here = Math.ceil((quota * aloneMs) / (windowSeconds * 1000));
    open(id, { endsMs: elapsedMs() + aloneMs, isShared: false, here, untaken: 0 });
  }

  async function lease(buckets: readonly Bucket[], windowSeconds: number): Promise<void> {
    const slices = buckets.map((bucket) => ({
      ...bucket,
      count: Math.ceil((currentWindow(bucket)?.untaken ?? bucket.quota) / SHARE),
    }));
    // Before the question: a window is never thought to run when it is over.
    const askedMs = elapsedMs();
    try {
      const taken = await withTimeout(counts.add(slices, windowSeconds * 1000));
      for (const [index, slice] of slices.entries()) {
        const answer = taken[index];
        if (!answer) {
          openAlone(slice);
          continue;
        }
        const { id, count, quota } = slice;
        const { taken: all, leftMs } = answer;
        // Whoever takes the last ones takes what is there, whatever they asked for.
        const here = Math.max(0, Math.min(count, count - (all - quota)));
        open(id, { endsMs: askedMs + leftMs, isShared: true, here, untaken: Math.max(0, quota - all) });
      }
    } catch (error) {
      onError(error);
      for (const bucket of buckets) openAlone(bucket);
    }
  }

  /** Leases what was asked for while the last statement ran, all of it in one, or one for each length of window. */
  async function leaseWaiting(): Promise<void> {
    // What another request leased meanwhile is there already.
    const buckets = [...waiting.values()].filter((bucket) => !currentWindow(bucket)?.here);
    waiting.clear();
    for (const windowSeconds of new Set(buckets.map((bucket) => bucket.windowSeconds))) {
      const alike = buckets.filter((bucket) => bucket.windowSeconds === windowSeconds);
      await lease(alike, windowSeconds);
    }
  }

  /** Resolves when the buckets were leased. One statement runs at a time, so that a rush of keys is no rush of statements. */
  function leaseAll(buckets: readonly Bucket[]): Promise<void> {
    for (const bucket of buckets) waiting.set(bucket.id, bucket);
    next ??= running.then(() => {
      next = null;
      running = leaseWaiting();
      return running;
    });
    return next;
  }

  const stateOf = ({ name, quota, windowSeconds }: Bucket, window: Window): QuotaState => ({
    name,
    quota,
    windowSeconds,
    remaining: window.here + window.untaken,
    resetSeconds: Math.max(1, Math.ceil((window.endsMs - elapsedMs()) / 1000)),
  });

  return {
    async take(key) {
      const buckets = bucketsOf(key);
      for (;;) {
        const current = buckets.map((bucket) => ({ bucket, window: currentWindow(bucket) }));
        for (const { bucket, window } of current) {
          if (!window || window.here > 0 || window.untaken > 0) continue;
          const exhausted = stateOf(bucket, window);
          return { exhausted, quotas: [exhausted], isShared: window.isShared };
        }
        const empty = current.filter(({ window }) => !window || window.here === 0);
        if (empty.length === 0) {
          const taken = current.flatMap(({ bucket, window }) => (window ? [{ bucket, window }] : []));
          for (const { window } of taken) window.here -= 1;
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

/** Of several quotas of one name, such as those of a key and its ancestors, the one that leaves least. */
function leastOfEach(states: readonly QuotaState[]): readonly QuotaState[] {
  const least = new Map<QuotaName, QuotaState>();
  for (const state of states) {
    const other = least.get(state.name);
    if (!other || state.remaining < other.remaining) least.set(state.name, state);
  }
  return [...least.values()];
}

async function withTimeout<Value>(asked: Promise<Value>): Promise<Value> {
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
