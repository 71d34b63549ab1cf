import type { Random } from '../random.js';
import type { Order, Payment } from './order.js';
import type { OrderScenario } from './order-scenarios.js';
import type { Refund } from './refund.js';

const DAY_MS = 86_400_000;

/** The shop's own refunds from before the sandbox started. */
export function seededRefunds(
  random: Random,
  order: Order,
  { refunded }: OrderScenario,
  ageDays: number,
): Refund[] {
  if (refunded === undefined) return [];
  const at = new Date(
    Date.parse(order.created_at) + Math.round((0.5 + 0.4 * random.next()) * ageDays * DAY_MS),
  ).toISOString();
  const refund = (
    payment: Payment,
    amount: number,
    extent: Pick<Refund, 'line_items' | 'shipping' | 'reason'>,
  ): Refund => ({
    id: random.id('rf_'),
    order_id: order.id,
    payment_id: payment.id,
    amount,
    currency: order.currency,
    offline: !payment.online,
    ...extent,
    note: null,
    reference: null,
    restock: refunded === 'all',
    customer_notified: true,
    created_at: at,
    settles_at: at,
    outcome: 'succeeded',
  });
  if (refunded === 'part') return partOf(random, order, refund);
  return order.payments.map((payment, index) =>
    refund(payment, payment.captured, {
      line_items: index === 0 ? order.line_items.map(({ id, quantity }) => ({ id, quantity })) : [],
      shipping: index === 0 ? order.shipping_lines.reduce((sum, line) => sum + line.total, 0) : 0,
      reason: order.status === 'cancelled' ? 'Order cancelled' : 'Returned',
    }),
  );
}

function partOf(
  random: Random,
  order: Order,
  refund: (
    payment: Payment,
    amount: number,
    extent: Pick<Refund, 'line_items' | 'shipping' | 'reason'>,
  ) => Refund,
): Refund[] {
  const [payment] = order.payments;
  const line = random.pick(order.line_items);
  if (!payment) return [];
  const oneOfThem = Math.floor(line.total / line.quantity);
  const isWhole = oneOfThem >= order.total || oneOfThem > payment.captured;
  const amount = isWhole ? Math.floor(payment.captured / 4) : oneOfThem;
  return [
    refund(payment, amount, {
      line_items: isWhole ? [] : [{ id: line.id, quantity: 1 }],
      shipping: 0,
      reason: random.pick(['Arrived damaged', 'Goodwill', 'One item missing']),
    }),
  ];
}
