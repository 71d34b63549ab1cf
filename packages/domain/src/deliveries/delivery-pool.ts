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
  /** Claims nothing more. Resolves when the running deliveries have finished. */
  drain(): Promise<void>;
}

/** The running deliveries of one process: claimed in batches, sent concurrently, settled in batches. */
export function deliveryPool(
  ports: DeliveryPorts,
  stop: AbortSignal,
  onError: (error: unknown) => void,
): DeliveryPool {
  const settle = batchedSettlement(ports);
  const work = new Map<Promise<void>, { readonly sinceMs: number }>();
  const inProgress = new Map<ConnectionId, number>();
  let draining = false;
  let isRefillRequested = false;
  let refill: Promise<void> | null = null;

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
      for (const one of claimed) start(one, as === 'deliver' ? attemptDelivery : readBack);
      if (claimed.length === 0) return;
    }
  }

  function start(claimed: DeliveryContext, perform: typeof attemptDelivery): void {
    const running = run(claimed, perform)
      .catch(onError)
      .finally(() => {
        work.delete(running);
        if (remainingCapacity().limit === CONCURRENCY_MAX / 2) requestRefill();
      });
    work.set(running, { sinceMs: ports.clock.now().getTime() });
  }

  async function run(claimed: DeliveryContext, act: typeof attemptDelivery): Promise<void> {
    const { delivery } = claimed;
    const { connectionId } = delivery;
    adjustCount(connectionId, 1);
    const outcome = await act(ports, claimed, stop).finally(() => {
      adjustCount(connectionId, -1);
      if (inProgress.get(connectionId) === PER_CONNECTION / 2) requestRefill();
    });
    await settle({ delivery, outcome });
  }

  async function fillAll(): Promise<void> {
    while (isRefillRequested && !draining) {
      isRefillRequested = false;
      await take('deliver');
      await take('read_back');
    }
  }

  function fill(): Promise<void> {
    isRefillRequested = true;
    return (refill ??= fillAll().finally(() => (refill = null)));
  }
  const requestRefill = () => void fill().catch(onError);

  return {
    fill,
    async drain() {
      draining = true;
      await refill?.catch(() => undefined);
      await Promise.all(work.keys());
    },
  };
}

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
