import type { ConnectionId } from '../ids.js';
import type { ClaimedDelivery, ClaimCapacity, ClaimPurpose, Tx } from '../ports/index.js';
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
/** Of a connection whose last delivery ended in this time: its claims are larger, and fewer. */
const PER_FAST_CONNECTION = 32;
const FAST_MS = 1000;
/**
 * A slow delivery, such as a video or an unresponsive account, yields its place to others, up to a maximum.
 */
const SLOW_MS = 5000;
const SLOW_MAX = 192;

/** The deliveries of one connection that are being sent. */
interface ConnectionLoad {
  running: number;
  /** How many may be: more of a connection that is known to be fast. */
  limit: typeof PER_CONNECTION | typeof PER_FAST_CONNECTION;
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
  kind: ClaimPurpose,
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
) {
  const settle = batchedSettlement(ports);
  const work = new Map<Promise<void>, { readonly sinceMs: number }>();
  const loads = new Map<ConnectionId, ConnectionLoad>();
  /** Accounts of whose deliveries half have finished, each with the kind of the last one. */
  const halfFree = new Map<ConnectionId, ClaimPurpose>();
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
    const remaining = new Map([...loads].map(([id, load]) => [id, load.limit - load.running]));
    return { limit: draining ? 0 : limit, perConnection: PER_CONNECTION, remaining };
  }

  function startOn(id: ConnectionId): ConnectionLoad {
    const load = loads.get(id) ?? { running: 0, limit: PER_CONNECTION };
    load.running += 1;
    loads.set(id, load);
    return load;
  }

  function endOn(id: ConnectionId, load: ConnectionLoad, as: ClaimPurpose, startedMs: number): void {
    load.running -= 1;
    load.limit = ports.clock.now().getTime() - startedMs < FAST_MS ? PER_FAST_CONNECTION : PER_CONNECTION;
    if (load.running === 0) loads.delete(id);
    if (load.running !== load.limit / 2 && load.running !== PER_CONNECTION / 2) return;
    halfFree.set(id, as);
    requestRefill({ isPartial: true });
  }

  /** Repeated, because the due deliveries of an account without capacity may hide those of others. */
  async function take(as: ClaimPurpose): Promise<void> {
    while ((await takeOnce(as)).length > 0);
  }

  async function takeOnce(as: ClaimPurpose): Promise<readonly DeliveryContext[]> {
    const left = remainingCapacity();
    isFull ||= left.limit <= 0;
    if (left.limit <= 0) return [];
    const claimed = await claim(ports, as, left);
    for (const one of claimed) start(one, as);
    return claimed;
  }

  /** By one claim. A connection that gets too little has nothing else due, or is hidden by others. */
  async function topUp(as: ClaimPurpose): Promise<void> {
    const waiting = [...halfFree].filter(([, purpose]) => purpose === as).map(([id]) => id);
    if (waiting.length === 0) return;
    await takeOnce(as);
    for (const id of waiting) halfFree.delete(id);
    isRefillRequested ||= waiting.some((id) => (loads.get(id)?.running ?? 0) <= PER_CONNECTION / 2);
  }

  function start(claimed: DeliveryContext, as: ClaimPurpose): void {
    const running = run(claimed, as)
      .catch(onError)
      .finally(() => {
        work.delete(running);
        if (isFull && remainingCapacity().limit >= CONCURRENCY_MAX / 2) requestRefill();
      });
    work.set(running, { sinceMs: ports.clock.now().getTime() });
  }

  async function run(claimed: DeliveryContext, as: ClaimPurpose): Promise<void> {
    const { delivery, traceparent } = claimed;
    const act = as === 'deliver' ? attemptDelivery : readBack;
    const { connectionId } = delivery;
    const startedMs = ports.clock.now().getTime();
    const load = startOn(connectionId);
    const outcome = await trace(claimed, as, () => act(ports, claimed, stop)).finally(() =>
      endOn(connectionId, load, as, startedMs),
    );
    onAttempt?.({
      platform: delivery.platform,
      outcome: outcome.kind,
      latenessSeconds: delivery.epoch === 1 ? secondsLate(claimed) : null,
    });
    await settle({ delivery, outcome, traceparent });
  }

  async function fillAll(): Promise<void> {
    while ((isRefillRequested || halfFree.size > 0) && !draining) {
      if (isRefillRequested) {
        isRefillRequested = false;
        isFull = false;
        halfFree.clear();
        await take('deliver');
        await take('read_back');
      } else {
        await topUp('deliver');
        await topUp('read_back');
      }
    }
  }

  function fill({ isPartial = false } = {}): Promise<void> {
    isRefillRequested ||= !isPartial;
    return (refill ??= fillAll().finally(() => (refill = null)));
  }
  const requestRefill = (options?: { readonly isPartial: boolean }) => void fill(options).catch(onError);

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
    /**
     * Claims due deliveries until none is left or the pool is full; finished ones make room and trigger the
     * next claim.
     */
    fill: () => fill(),
    /**
     * Begins to claim when anything is due, and wakes the pool at the time at which the next delivery becomes
     * due within `withinMs`. Called periodically, at shorter intervals than that.
     */
    sweep,
    /** Claims nothing more. Resolves when the running deliveries have finished. */
    async drain() {
      draining = true;
      nextWake.abort();
      await waking;
      await refill?.catch(() => undefined);
      await Promise.all(work.keys());
    },
  };
}

export type DeliveryPool = ReturnType<typeof deliveryPool>;

const secondsLate = ({ claimedAt, delivery }: DeliveryContext): number =>
  Math.max(0, claimedAt.getTime() - delivery.scheduledAt.getTime()) / 1000;

async function claim(
  ports: DeliveryPorts,
  as: ClaimPurpose,
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
