import type { Ports, Tx } from './ports/index.js';
import { ok } from './result.js';

/**
 * The duration of a claim without a heartbeat: after a crash another process takes over after this time,
 * within one or two seconds.
 */
export const LEASE_SECONDS = 12;

/**
 * Short enough that a process resumed after a suspension detects within three seconds that another one has
 * taken over.
 */
const HEARTBEAT_MS = 3000;

interface Lease {
  /** Extends the lease from now on; false when another process has it, or it was ended. */
  extend(): Promise<boolean>;
}

/** A lease that this process has just acquired. */
export interface LeaseHandle extends Lease {
  /**
   * Whether it is held at this moment, by the clock alone. A process that resumes after a suspension
   * processes pending responses before any of its timers fires: this check detects first that the lease has
   * expired.
   */
  readonly isHeld: () => boolean;
}

/**
 * `claimedAt` is a time before the claim was requested, so that the lease never ends later here than in the
 * database. `extendIn` extends the claim in the database by this number of seconds.
 */
export function createLeaseHandle(
  { clock, transactions }: Pick<Ports, 'clock' | 'transactions'>,
  claimedAt: Date,
  extendIn: (tx: Tx, seconds: number) => Promise<boolean>,
): LeaseHandle {
  const endOf = (since: Date) => since.getTime() + LEASE_SECONDS * 1000;
  let untilMs = endOf(claimedAt);
  return {
    async extend() {
      const requestedAt = clock.now();
      const extended = await transactions.run(async (tx) => ok(await extendIn(tx, LEASE_SECONDS)));
      const isHeld = extended.ok && extended.value;
      untilMs = isHeld ? endOf(requestedAt) : 0;
      return isHeld;
    },
    isHeld: () => clock.now().getTime() < untilMs,
  };
}

/**
 * Runs work under a lease, which a heartbeat extends until the work ends: short work extends nothing. The
 * signal aborts when the lease is lost or its state is unknown, when `stop` aborts, and after `limitMs`.
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

/**
 * Three consecutive heartbeats, each with a timeout of two thirds of the interval and a pause of a third:
 * without a response the lease counts as lost.
 */
const MISSED_HEARTBEATS_MAX = 3;

async function sendHeartbeats(
  lease: Lease,
  running: { readonly on: boolean },
  lost: AbortController,
  heartbeatMs: number,
) {
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

/** A timer that is independent of clock changes, and does not keep the process alive. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(), { once: true });
  });
