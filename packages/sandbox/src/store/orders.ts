import type { World } from '../world.js';
import type { Order } from './order.js';
import type { Refund } from './refund.js';
import { seededOrders } from './seeded-orders.js';
import { SHOPS } from './shops.js';

/** The orders of all shops: seeded once; only their refunds change. */
export interface Orders {
  of(shop: string): readonly Order[];
  get(id: string): Order | undefined;
  /** Oldest first. */
  refundsOf(order: Order): readonly Refund[];
  addRefund(order: Order, refund: Refund): void;
}

export function ordersOf({ clock, epoch, journal, ledger, ordersOfEachShop, seed }: World): Orders {
  const seeded = SHOPS.flatMap((shop) =>
    seededOrders(seed, { ...shop, orderCount: ordersOfEachShop ?? shop.orderCount }, epoch),
  );
  const byId = new Map(seeded.map(({ order }) => [order.id, order]));
  const refunds = new Map(seeded.map(({ order, refunds }) => [order.id, [...refunds]]));
  const created = journal.collection<Refund>('store.refunds');
  for (const refund of created.values()) refunds.get(refund.order_id)?.push(refund);
  return {
    of: (shop) => [...byId.values()].filter((order) => order.shop === shop),
    get: (id) => byId.get(id),
    refundsOf: (order) => refunds.get(order.id) ?? [],
    addRefund(order, refund) {
      created.set(refund.id, refund);
      refunds.get(order.id)?.push(refund);
      const { payment_id, amount, currency } = refund;
      const details = {
        order_id: order.id,
        payment_id,
        amount,
        currency,
        money_moved: !refund.offline && refund.outcome === 'succeeded',
      };
      ledger.append(
        {
          platform: 'store',
          effect: 'refund.created',
          account: order.shop,
          id: refund.id,
          reference: refund.reference,
          details,
        },
        clock.now(),
      );
    },
  };
}
