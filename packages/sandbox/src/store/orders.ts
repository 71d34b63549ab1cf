import type { World } from '../world.js';
import { apportion } from './currency.js';
import { presentRefund, statusOf, type PaymentStatus, type Refund } from './order.js';
import { seededOrders, type Order } from './seeded-orders.js';
import { SHOPS } from './shops.js';

/**
 * The orders of all shops: seeded once, at the first request that needs them, because that takes a tenth of the
 * service's start; only their refunds change.
 */
export function ordersOf(world: World) {
  const { clock, epoch, journal, ledger } = world;
  const created = journal.collection<Refund>('store.refunds');
  const seed = () => {
    const orders = SHOPS.flatMap((shop) =>
      seededOrders(world.seed, { ...shop, orderCount: world.ordersOfEachShop ?? shop.orderCount }, epoch),
    );
    const refunds = new Map(orders.map(({ order, refunds }) => [order.id, [...refunds]]));
    for (const refund of created.values()) refunds.get(refund.order_id)?.push(refund);
    return { byId: new Map(orders.map(({ order }) => [order.id, order])), refunds };
  };
  let seeded: ReturnType<typeof seed> | undefined;
  const getSeeded = () => (seeded ??= seed());
  return {
    of: (shop: string): readonly Order[] =>
      [...getSeeded().byId.values()].filter((order) => order.shop === shop),
    get: (id: string) => getSeeded().byId.get(id),
    /** Oldest first. */
    refundsOf: (order: Order): readonly Refund[] => getSeeded().refunds.get(order.id) ?? [],
    addRefund(order: Order, refund: Refund): void {
      const { refunds } = getSeeded();
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
export type Orders = ReturnType<typeof ordersOf>;

/**
 * An order's remainder after refunds. A failed refund does not count; a pending one is no longer refundable.
 */
export function stateOf(order: Order, refunds: readonly Refund[], now: Date) {
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const succeeded = refunds.filter((refund) => statusOf(refund, now) === 'succeeded');
  const counted = refunds.filter((refund) => statusOf(refund, now) !== 'failed');
  const captured = sum(order.payments.map((payment) => payment.captured));
  const refunded = sum(succeeded.map((refund) => refund.amount));
  const claimed = sum(counted.map((refund) => refund.amount));
  const of = (id: string, from: readonly Refund[]) =>
    sum(from.filter((refund) => refund.payment_id === id).map((refund) => refund.amount));
  const shippingRefunded = sum(counted.map((refund) => refund.shipping));
  const moments = refunds.flatMap((refund) => [
    refund.created_at,
    statusOf(refund, now) === 'pending' ? '' : refund.settles_at,
  ]);
  const refundedStatus: PaymentStatus = refunded >= captured ? 'refunded' : 'partially_refunded';
  return {
    captured,
    refunded,
    pending: claimed - refunded,
    refundable: Math.max(0, captured - claimed),
    paymentStatus: refunded === 0 ? order.payment_status : refundedStatus,
    updatedAt: moments.reduce((latest, moment) => (moment > latest ? moment : latest), order.updated_at),
    refundedOf: (paymentId: string) => of(paymentId, succeeded),
    refundableOf: (id: string) =>
      Math.max(0, (order.payments.find((payment) => payment.id === id)?.captured ?? 0) - of(id, counted)),
    refundedQuantity: (id: string) =>
      sum(
        counted.flatMap((refund) =>
          refund.line_items.filter((line) => line.id === id).map((line) => line.quantity),
        ),
      ),
    shippingRefunded,
    shippingRefundable: Math.max(0, sum(order.shipping_lines.map((line) => line.total)) - shippingRefunded),
  };
}

export type OrderState = ReturnType<typeof stateOf>;

/** One shipment of everything that has left: one unit of the first line of a partly fulfilled order. */
function shipmentsOf({ id, fulfillment_status, status, line_items, shipping_address, updated_at }: Order) {
  if (fulfillment_status === 'unfulfilled' || shipping_address === null) return [];
  const isPartial = fulfillment_status === 'partial';
  const tracking_number = id.replace('so_', 'SB').toUpperCase();
  return [
    {
      id: id.replace('so_', 'sh_'),
      status: status === 'completed' ? 'delivered' : 'shipped',
      carrier: 'Sandbox Parcel',
      tracking_number,
      tracking_url: `https://parcel.example/track/${tracking_number}`,
      line_items: (isPartial ? line_items.slice(0, 1) : line_items).map((line) => ({
        id: line.id,
        quantity: isPartial ? 1 : line.quantity,
      })),
      created_at: updated_at,
    },
  ];
}

export function presentOrder(origin: string, order: Order, refunds: readonly Refund[], now: Date) {
  const { shop: _shop, ...rest } = order;
  const state = stateOf(order, refunds, now);
  const shippingRefunded = apportion(
    state.shippingRefunded,
    order.shipping_lines.map((line) => line.total),
  );
  return {
    ...rest,
    payment_status: state.paymentStatus,
    prices_include_tax: false,
    captured_total: state.captured,
    refunded_total: state.refunded,
    pending_refund_total: state.pending,
    refundable_total: state.refundable,
    line_items: order.line_items.map((line) => ({
      ...line,
      refunded_quantity: state.refundedQuantity(line.id),
    })),
    shipping_lines: order.shipping_lines.map((line, index) => ({
      ...line,
      refunded: shippingRefunded[index] ?? 0,
    })),
    payments: order.payments.map((payment) => ({
      ...payment,
      refunded: state.refundedOf(payment.id),
      refundable: state.refundableOf(payment.id),
    })),
    refunds: refunds.map((refund) => presentRefund(refund, now)),
    shipments: shipmentsOf(order),
    updated_at: state.updatedAt,
    url: `${origin}/store/orders/${order.id}`,
  };
}
