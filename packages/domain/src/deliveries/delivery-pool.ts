import type { ConnectionId } from '../ids.js';
import type { ClaimedDelivery, ClaimCapacity, Tx } from '../ports/index.js';
import { ok } from '../result.js';
import { LEASE_SECONDS } from '../lease.js';
import {
  attemptDelivery,
  claimForDelivery,
  withConnections,
  type DeliveryPorts,
  type DeliveryContext,
} from './deliver.js';
import { readBack } from './read-back-delivery.js';
import type { AttemptOutcome } from './settle-delivery.js';
import { batchedSettlement } from './batched-settlement.js';

/**
 * The maximum number of concurrent deliveries, in total and per connection. When half of them are done, more
 * are claimed.
 */
const CONCURRENCY_MAX = 64;
const PER_CONNECTION = 16;
/**
 * A slow delivery, such as a video or an unresponsive account, yields its place to others, up to a maximum.
 */
const SLOW_MS = 5000;
const SLOW_MAX = 192;

export interface DeliveryPool {
  /**
   * Claims due deliveries until none is left or the pool is full; finished ones make room and trigger the
   * next claim.
   */
  fill(): Promise<void>;
  /**
   * Begins to claim when anything is due, and wakes the pool at the time at which the next delivery becomes
   * due within `withinMs`. Called periodically, at shorter intervals than that.
   */
  sweep(withinMs: number): Promise<void>;
  /** Claims nothing more. Resolves when the running deliveries have finished. */
  drain(): Promise<void>;
}

/** An attempt or a read-back that has ended, for metrics. */
interface ObservedAttempt {
  readonly platform: string;
  readonly outcome: AttemptOutcome['kind'];
  /** From the publish time to the first attempt; null for later attempts and read-backs. */
  readonly latenessSeconds: number | null;
}

export type TraceAttempt = (
  claimed: ClaimedDelivery,
  kind: 'deliver' | 'read_back',
  perform: () => Promise<AttemptOutcome>,
) => Promise<AttemptOutcome>;

export interface DeliveryPoolOptions {
  readonly onError: (error: unknown) => void;
  readonly onAttempt?: ((attempt: ObservedAttempt) => void) | undefined;
  /** Performs an attempt or a read-back as a part of the trace of the delivery. */
  readonly trace?: TraceAttempt | undefined;
}

/** The running deliveries of one process: claimed in batches, sent concurrently, settled in batches. */
export function deliveryPool(
  ports: DeliveryPorts,
  stop: AbortSignal,
  { onError, onAttempt, trace = (_claimed, _kind, perform) => perform() }: DeliveryPoolOptions,
): DeliveryPool {
  const settle = batchedSettlement(ports);
  const work = new Map<Promise<void>, { readonly sinceMs: number }>();
  const inProgress = new Map<ConnectionId, number>();
  let draining = false;
  let isRefillRequested = false;
  let refill: Promise<void> | null = null;
  let isFull = false;
  let nextWake = new AbortController();
  let waking: Promise<void> = Promise.resolve();

  function remainingCapacity(): ClaimCapacity {
    const nowMs = ports.clock.now().getTime();
    const slow = [...work.values()].filter(({ sinceMs }) => nowMs - sinceMs > SLOW_MS).length;
    const limit = CONCURRENCY_MAX - work.size + Math.min(slow, SLOW_MAX);
    return { limit: draining ? 0 : limit, perConnection: PER_CONNECTION, inProgress };
  }

  const adjustCount = (id: ConnectionId, change: 1 | -1) => {
    const now = (inProgress.get(id) ?? 0) + change;
    if (now === 0) inProgress.delete(id);
    else inProgress.set(id, now);
  };

  async function take(as: 'deliver' | 'read_back'): Promise<void> {
    for (let left = remainingCapacity(); left.limit > 0; left = remainingCapacity()) {
      const claimed = await claim(ports, as, left);
      for (const one of claimed) start(one, as);
      if (claimed.length === 0) return;
    }
    isFull = true;
  }

  function start(claimed: DeliveryContext, as: 'deliver' | 'read_back'): void {
    const running = run(claimed, as)
      .catch(onError)
      .finally(() => {
        work.delete(running);
        if (isFull && remainingCapacity().limit >= CONCURRENCY_MAX / 2) requestRefill();
      });
    work.set(running, { sinceMs: ports.clock.now().getTime() });
  }

  async function run(claimed: DeliveryContext, as: 'deliver' | 'read_back'): Promise<void> {
    const { delivery, traceparent } = claimed;
    const act = as === 'deliver' ? attemptDelivery : readBack;
    const { connectionId } = delivery;
    adjustCount(connectionId, 1);
    const outcome = await trace(claimed, as, () => act(ports, claimed, stop)).finally(() => {
      adjustCount(connectionId, -1);
      if (inProgress.get(connectionId) === PER_CONNECTION / 2) requestRefill();
    });
    onAttempt?.({
      platform: delivery.platform,
      outcome: outcome.kind,
      latenessSeconds: delivery.epoch === 1 ? secondsLate(claimed) : null,
    });
    await settle({ delivery, outcome, traceparent });
  }

  async function fillAll(): Promise<void> {
    while (isRefillRequested && !draining) {
      isRefillRequested = false;
      isFull = false;
      await take('deliver');
      await take('read_back');
    }
  }

  function fill(): Promise<void> {
    isRefillRequested = true;
    return (refill ??= fillAll().finally(() => (refill = null)));
  }
  const requestRefill = () => void fill().catch(onError);

  async function sweep(withinMs: number): Promise<void> {
    // Determined before the claim, which then includes what becomes due in between.
    const nextInMs = await ports.deliveries.findNextDueInMs(withinMs);
    nextWake.abort();
    if (draining) return;
    if (nextInMs !== null) wakeAfter(nextInMs, withinMs);
    if ((await ports.deliveries.listDue(1)).length > 0) requestRefill();
  }

  /** Whether the delivery is then due is decided by the database again. */
  function wakeAfter(ms: number, withinMs: number): void {
    const { signal } = (nextWake = new AbortController());
    const wake = ports.clock
      .sleep(ms, signal)
      .then(() => (signal.aborted ? undefined : sweep(withinMs)))
      .catch(onError);
    waking = Promise.all([waking, wake]).then(() => undefined);
  }

  return {
    fill,
    sweep,
    async drain() {
      draining = true;
      nextWake.abort();
      await waking;
      await refill?.catch(() => undefined);
      await Promise.all(work.keys());
    },
  };
}

const secondsLate = ({ claimedAt, delivery }: DeliveryContext): number =>
  Math.max(0, claimedAt.getTime() - delivery.scheduledAt.getTime()) / 1000;

async function claim(
  ports: DeliveryPorts,
  as: 'deliver' | 'read_back',
  room: ClaimCapacity,
): Promise<readonly DeliveryContext[]> {
  const take = (tx: Pick<Tx, 'deliveries'>) => tx.deliveries.claim(as, room, LEASE_SECONDS);
  if (as === 'deliver') return claimForDelivery(ports, take);
  const claimedAt = ports.clock.now();
  const claimed = await ports.transactions.run<readonly ClaimedDelivery[], never>(async (tx) =>
    ok(await take(tx)),
  );
  return withConnections(ports, claimed.ok ? claimed.value : [], claimedAt);
}
