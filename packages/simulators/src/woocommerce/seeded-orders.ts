import { PLACES, totalOf, type WooItem, type WooRefund } from './order.js';

const DAY_MS = 86_400_000;
const VAT = 7;
const CITY_TAX = 9;
const unit = 10 ** PLACES;

/** The rotating kinds of orders: status, currency and payment method. */
const KINDS = [
  { status: 'processing', currency: 'EUR', method: 'stripe', paid: true },
  { status: 'completed', currency: 'EUR', method: 'stripe', paid: true },
  { status: 'pending', currency: 'EUR', method: 'stripe', paid: false },
  { status: 'processing', currency: 'JPY', method: 'stripe', paid: true },
  { status: 'on-hold', currency: 'EUR', method: 'bacs', paid: false },
  { status: 'processing', currency: 'BHD', method: 'stripe', paid: true },
  { status: 'cancelled', currency: 'USD', method: 'stripe', paid: false },
  { status: 'processing', currency: 'USD', method: 'bacs', paid: true },
  { status: 'failed', currency: 'EUR', method: 'stripe', paid: false },
  { status: 'awaiting-pickup', currency: 'EUR', method: 'stripe', paid: true },
  { status: 'refunded', currency: 'EUR', method: 'stripe', paid: true },
  { status: 'processing', currency: 'USD', method: 'stripe', paid: true },
] as const;

const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, BHD: 3 };

/** Orders of every kind, oldest first, some of them within the same second. */
export function seededOrders(count: number, now: Date, decimals?: number): WooOrder[] {
  const begin = Math.floor(now.getTime() / 1_000) * 1_000 - count * DAY_MS;
  return Array.from({ length: count }, (_, index) => {
    const together = index % 10 === 4 ? index - 1 : index;
    return seededOrder(index, new Date(begin + together * DAY_MS), decimals);
  });
}

export type WooOrder = ReturnType<typeof seededOrder>;

function seededOrder(index: number, createdAt: Date, own?: number) {
  const kind = KINDS[index % KINDS.length] as (typeof KINDS)[number];
  const decimals = own ?? DECIMALS[kind.currency] ?? 2;
  const smallest = 10 ** (PLACES - decimals);
  const id = 700 + index * 10;
  const price = (12 + index) * unit + (decimals > 0 ? 34 * smallest : 0);
  const item = (at: number, more: Partial<WooItem> & Pick<WooItem, 'kind' | 'name' | 'total'>): WooItem => ({
    id: id + at,
    sku: '',
    quantity: 1,
    subtotal: more.total,
    // Stored unrounded, as in shops that round taxes on the total.
    taxes: [
      { rateId: VAT, total: Math.round(more.total * 0.19) },
      { rateId: CITY_TAX, total: Math.round(more.total * 0.013) },
    ],
    ...more,
  });
  const whole = (items: readonly WooItem[]): readonly WooItem[] => {
    // The order's total has no more decimals than its currency: the excess becomes a fee.
    const over = totalOf({ items }) % smallest;
    const fee = { kind: 'fee_lines', name: 'Rounding', total: smallest - over, taxes: [] } as const;
    return over === 0 ? items : [...items, item(4, fee)];
  };
  const items = whole([
    item(1, {
      kind: 'line_items',
      name: `Mug ${index}`,
      sku: `MUG-${index}`,
      quantity: 3,
      total: 3 * price,
      subtotal: 3 * price + smallest * 100,
    }),
    item(2, { kind: 'line_items', name: 'Saucer', total: 5 * unit, taxes: [] }),
    item(3, { kind: 'shipping_lines', name: 'Flat rate', total: 4 * unit }),
  ]);
  const done = kind.status === 'completed';
  const order = {
    id,
    status: kind.status as string,
    currency: kind.currency,
    /** The number of decimals to which the shop displays and rounds the order's money. */
    decimals,
    method: kind.method,
    items,
    createdAt,
    customerId: index % 3 === 0 ? 0 : 40 + index,
    email: `Buyer${index}@example.test`,
    name: ['Ada', `Number ${index}`] as const,
    note: index % 4 === 0 ? 'Ring twice' : '',
    refunds: [] as WooRefund[],
    modifiedAt: new Date(createdAt.getTime() + 3_600_000),
    paidAt: kind.paid ? new Date(createdAt.getTime() + 60_000) : null,
    completedAt: done ? new Date(createdAt.getTime() + 3_600_000) : null,
  };
  order.refunds.push(...refundsOf(order, index));
  return order;
}

/** Refunds made in the shop itself: partly with a line, or full. */
function refundsOf(order: WooOrder, index: number): readonly WooRefund[] {
  const base = {
    id: order.id + 8,
    orderId: order.id,
    refundedPayment: true,
    meta: [],
    createdAt: new Date(order.createdAt.getTime() + 1_800_000),
  };
  if (order.status === 'refunded')
    return [{ ...base, amount: totalOf(order), reason: 'Order fully refunded.', items: [] }];
  const saucer = order.items.find(({ name }) => name === 'Saucer');
  if (index % 12 !== 11 || !saucer) return [];
  const items = [{ of: saucer, quantity: 1, total: saucer.total, taxes: [] }];
  return [{ ...base, amount: saucer.total, reason: 'Broken', items }];
}
