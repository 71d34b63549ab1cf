import type { ConnectionId } from '../ids.js';
import type { Claimed, Room, Tx } from '../ports/index.js';
import { ok } from '../result.js';
import { LEASE_SECONDS } from '../while-held.js';
import { attempt, claimToDeliver, withConnections, type DeliveryPorts, type ToDeliver } from './deliver.js';
import { readBack } from './read-back-delivery.js';
import { settlingLane } from './settling-lane.js';

/** So many are in hand at once, and so many of them of one connection. When half of them are done, more is taken up. */
const IN_HAND_MAX = 64;
const PER_CONNECTION = 16;
/** What takes longer, a video or an account that does not answer, gives its place to others, up to so many. */
const SLOW_MS = 5000;
const SLOW_MAX = 192;

export interface DeliveryPool {
  /** Takes up what is due until nothing is left or there is no more room; what comes to its end makes room and goes on by itself. */
  fill(): Promise<void>;
  /** Takes up nothing more. Resolves when what is in hand has come to its end. */
  drain(): Promise<void>;
}

/** The deliveries that one process has in hand: claimed many at a time, sent side by side, written down together. */
export function deliveryPool(
  ports: DeliveryPorts,
  stop: AbortSignal,
  onError: (error: unknown) => void,
): DeliveryPool {
  const settle = settlingLane(ports);
  const work = new Map<Promise<void>, { readonly sinceMs: number }>();
  const inHand = new Map<ConnectionId, number>();
  let draining = false;
  let again = false;
  let filling: Promise<void> | null = null;

  function room(): Room {
    const nowMs = ports.clock.now().getTime();
    const slow = [...work.values()].filter(({ sinceMs }) => nowMs - sinceMs > SLOW_MS).length;
    const limit = IN_HAND_MAX - work.size + Math.min(slow, SLOW_MAX);
    return { limit: draining ? 0 : limit, perConnection: PER_CONNECTION, inHand };
  }

  const count = (id: ConnectionId, change: 1 | -1) => {
    const now = (inHand.get(id) ?? 0) + change;
    if (now === 0) inHand.delete(id);
    else inHand.set(id, now);
  };

  async function take(as: 'deliver' | 'read_back'): Promise<void> {
    for (let left = room(); left.limit > 0; left = room()) {
      const claimed = await claim(ports, as, left);
      for (const one of claimed) begin(one, as === 'deliver' ? attempt : readBack);
      if (claimed.length === 0) return;
    }
  }

  function begin(claimed: ToDeliver, act: typeof attempt): void {
    const running = run(claimed, act)
      .catch(onError)
      .finally(() => {
        work.delete(running);
        if (room().limit === IN_HAND_MAX / 2) goOn();
      });
    work.set(running, { sinceMs: ports.clock.now().getTime() });
  }

  async function run(claimed: ToDeliver, act: typeof attempt): Promise<void> {
    const { delivery } = claimed;
    const { connectionId } = delivery;
    count(connectionId, 1);
    const settlement = await act(ports, claimed, stop).finally(() => {
      count(connectionId, -1);
      if (inHand.get(connectionId) === PER_CONNECTION / 2) goOn();
    });
    await settle({ delivery, settlement });
  }

  async function fillAll(): Promise<void> {
    while (again && !draining) {
      again = false;
      await take('deliver');
      await take('read_back');
    }
  }

  function fill(): Promise<void> {
    again = true;
    return (filling ??= fillAll().finally(() => (filling = null)));
  }
  const goOn = () => void fill().catch(onError);

  return {
    fill,
    async drain() {
      draining = true;
      await filling?.catch(() => undefined);
      await Promise.all(work.keys());
    },
  };
}

async function claim(
  ports: DeliveryPorts,
  as: 'deliver' | 'read_back',
  room: Room,
): Promise<readonly ToDeliver[]> {
  const take = (tx: Pick<Tx, 'posts'>) => tx.posts.claimDue(as, room, LEASE_SECONDS);
  if (as === 'deliver') return claimToDeliver(ports, take);
  const claimedAt = ports.clock.now();
  const claimed = await ports.transactions.run<readonly Claimed[], never>(async (tx) => ok(await take(tx)));
  return withConnections(ports, claimed.ok ? claimed.value : [], claimedAt);
}
