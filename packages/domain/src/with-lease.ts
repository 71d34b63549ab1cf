import type { Clock } from './ports/index.js';

/** How long a claim holds without a sign of life: who died is succeeded after this, and whoever sweeps comes within a second or two. */
export const LEASE_SECONDS = 12;

/** Short enough that whoever was asleep hears within three seconds that somebody else has taken over. */
const HEARTBEAT_MS = 3000;

export interface Lease {
  /** Has the lease last from now on; false when somebody else has it, or it has been ended. */
  extend(): Promise<boolean>;
}

/** A lease that was taken just now, by whoever reads this. */
export interface LeaseHandle extends Lease {
  /**
   * Whether it still lasts at this very moment, by the clock alone. A process that was stopped for a while and goes on
   * finds its answers waiting before any of its timers has fired: this tells it first that its time is over.
   */
  readonly isHeld: () => boolean;
}

/** `claimedAt` is a time before the claim was asked for, so that it never ends later here than in the database. */
export function createLeaseHandle(clock: Pick<Clock, 'now'>, claimedAt: Date, extend: Lease['extend']): LeaseHandle {
  const endOf = (since: Date) => since.getTime() + LEASE_SECONDS * 1000;
  let untilMs = endOf(claimedAt);
  return {
    async extend() {
      const requestedAt = clock.now();
      const held = await extend();
      untilMs = held ? endOf(requestedAt) : 0;
      return held;
    },
    isHeld: () => clock.now().getTime() < untilMs,
  };
}

/**
 * Does what takes a while under a lease, which is extended as long as it goes on: work that ends quickly extends nothing.
 * The signal aborts when the lease is lost or nobody knows whether it is, when `stop` aborts, and after `limitMs`.
 */
export async function withLease<Value>(
  lease: Lease,
  stop: AbortSignal,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
  heartbeatMs = HEARTBEAT_MS,
): Promise<Value> {
  const lost = new AbortController();
  const running = { on: true };
  void sendHeartbeats(lease, running, lost, heartbeatMs);
  try {
    return await work(AbortSignal.any([stop, lost.signal, AbortSignal.timeout(limitMs)]));
  } finally {
    running.on = false;
  }
}

/** Three questions in a row, two thirds of a beat each and a third apart: a lease without an answer is as good as over. */
const MISSED_HEARTBEATS_MAX = 3;

async function sendHeartbeats(lease: Lease, running: { readonly on: boolean }, lost: AbortController, heartbeatMs: number) {
  let missedHeartbeats = 0;
  await pause(heartbeatMs);
  while (running.on) {
    const timedOut = pause((heartbeatMs * 2) / 3).then(() => null);
    const held = await Promise.race([lease.extend().catch(() => timedOut), timedOut]);
    if (held === null) missedHeartbeats += 1;
    else missedHeartbeats = 0;
    if (held === false || missedHeartbeats === MISSED_HEARTBEATS_MAX) return lost.abort();
    await pause(held === null ? heartbeatMs / 3 : heartbeatMs);
  }
}

/** A timer that no jump of a clock moves, and that keeps no process alive. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(), { once: true });
  });
