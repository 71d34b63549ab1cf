import { totalOf, type Refund, type Transaction, type TransactionKind } from './order.js';

/** The kinds of orders of a store, newest first; further orders are paid by card. */
const KINDS = [
  'paid',
  'paid by gift card and card',
  'taxes not included',
  'yen',
  'dinar',
  'partly refunded',
  'fully refunded',
  'unpaid',
  'authorized',
  'partly captured',
  'cancelled',
  'guest',
  'bank deposit',
  'paid by Klarna and card',
  'many lines',
  'many refunds',
  'test',
  'closed',
  'failed',
  'cash',
] as const;
type SeededKind = (typeof KINDS)[number];

const HOUR_MS = 3_600_000;
/** Four of them are older than the sixty days that every app may read. */
const COUNT = 44;
const OLD_FROM = 40;

/** A store's orders, with IDs that increase over time, and times in whole seconds as at Shopify. */
export function seededOrders(now: Date): Order[] {
  const startMs = Math.floor(now.getTime() / 1_000) * 1_000 - HOUR_MS;
  return Array.from({ length: COUNT }, (_, back) => {
    const hours = back >= OLD_FROM ? 24 * 61 + back : back * 30;
    // Two orders placed in the same second.
    const createdAt = new Date(startMs - (back === 21 ? 20 * 30 : hours) * HOUR_MS);
    return seededOrder(KINDS[back] ?? 'paid', COUNT - back, createdAt);
  });
}

export type Order = ReturnType<typeof seededOrder>;
export type OrderLine = Order['lines'][number];

function seededOrder(kind: SeededKind, index: number, createdAt: Date) {
  const id = 5_500_000_000_000 + index * 1_000;
  const currency = kind === 'yen' ? 'JPY' : kind === 'dinar' ? 'KWD' : index % 3 === 0 ? 'USD' : 'EUR';
  const taxesIncluded = kind !== 'taxes not included';
  const closed = kind === 'closed' || kind === 'fully refunded';
  const lines = seededLines(kind, id, index);
  const order = {
    id,
    name: `#${1_000 + index}`,
    createdAt,
    updatedAt: new Date(createdAt.getTime() + (index % 7 === 0 ? 0.7 * HOUR_MS : 0)),
    cancelledAt: kind === 'cancelled' ? createdAt : null,
    closedAt: closed ? createdAt : null,
    test: kind === 'test',
    email: kind === 'cash' ? null : `buyer${index}@example.test`,
    customer: kind === 'guest' ? null : { id: 7_000 + index, firstName: 'Ada', lastName: `B${index}` },
    /** The customer's currency. All amounts are in it. */
    currency,
    taxesIncluded,
    note: index % 5 === 0 ? 'Ring twice' : null,
    lines: lines as Readonly<typeof lines>,
    shippingLines: [{ id: id + 900, title: 'Standard', price: 499, tax: 79, refunded: 0 }],
    transactions: [] as Transaction[],
    refunds: [] as Refund[],
    fulfillments: seededFulfillments(kind, id, createdAt, lines),
  };
  order.transactions.push(...seededPayments(kind, order));
  if (kind === 'partly refunded') refundInStore(order, [500]);
  if (kind === 'fully refunded') refundInStore(order, [totalOf(order)]);
  if (kind === 'many refunds')
    refundInStore(
      order,
      Array.from({ length: 7 }, () => 25),
    );
  return order;
}

function seededLines(kind: SeededKind, id: number, index: number) {
  const fulfilled = kind === 'closed' || kind === 'fully refunded' || index % 4 === 1;
  return Array.from({ length: kind === 'many lines' ? 23 : 2 }, (_, at) => ({
    id: id + 100 + at,
    sku: at === 0 ? `SKU-${index}` : null,
    title: at === 0 ? 'Teapot' : 'Cup',
    quantity: at === 0 ? 3 : 1,
    unit: 1_000 + index,
    /** For the whole line, like the tax. */
    discount: at === 0 ? 100 : 0,
    tax: at === 0 ? 463 : 160,
    // One unit of the first line has been shipped.
    unfulfilled: fulfilled ? 0 : at === 0 ? 2 : 1,
    refunded: 0,
  }));
}

/** One shipment of everything that has left; in the cancelled order, also one that was cancelled. */
function seededFulfillments(
  kind: SeededKind,
  id: number,
  createdAt: Date,
  lines: ReturnType<typeof seededLines>,
) {
  const shipped = lines
    .map((line) => ({ lineId: line.id, quantity: line.quantity - line.unfulfilled }))
    .filter(({ quantity }) => quantity > 0);
  if (shipped.length === 0) return [];
  const parcels = kind === 'cancelled' ? [shipped, shipped] : [shipped];
  return parcels.map((contents, at) => ({
    id: id + 800 + at,
    status: at === 0 ? 'SUCCESS' : 'CANCELLED',
    displayStatus: (kind === 'closed' ? 'DELIVERED' : 'IN_TRANSIT') as string | null,
    createdAt,
    tracking: {
      company: 'DHL Express',
      number: `JD${id + at}`,
      url: `https://www.dhl.com/track?id=JD${id + at}`,
    } as Readonly<Record<'company' | 'number' | 'url', string | null>> | null,
    lines: contents,
  }));
}

function seededPayments(kind: SeededKind, order: Order): Transaction[] {
  const total = totalOf(order);
  const created: Transaction[] = [];
  const add = (kind: TransactionKind, gateway: string, amount: number, more: Partial<Transaction> = {}) => {
    const id = order.id + 500 + created.length;
    created.push({
      id,
      kind,
      gateway,
      amount,
      status: 'SUCCESS',
      parentId: null,
      createdAt: order.createdAt,
      ...more,
    });
    return id;
  };
  switch (kind) {
    case 'unpaid':
      add('SALE', 'manual', total, { status: 'PENDING' });
      break;
    case 'failed':
      add('SALE', 'shopify_payments', total, { status: 'FAILURE' });
      break;
    case 'authorized':
      add('AUTHORIZATION', 'shopify_payments', total);
      break;
    case 'partly captured':
      add('CAPTURE', 'shopify_payments', total - 1_000, {
        parentId: add('AUTHORIZATION', 'shopify_payments', total),
      });
      break;
    case 'cancelled':
      add('VOID', 'shopify_payments', total, { parentId: add('AUTHORIZATION', 'shopify_payments', total) });
      break;
    case 'paid by gift card and card':
      add('SALE', 'gift_card', 1_500);
      add('SALE', 'shopify_payments', total - 1_500);
      break;
    case 'many lines':
      for (let cards = 0; cards < 11; cards++) add('SALE', 'gift_card', 100);
      add('SALE', 'shopify_payments', total - 1_100);
      break;
    case 'paid by Klarna and card':
      add('SALE', 'klarna', 2_000);
      add('SALE', 'shopify_payments', total - 2_000);
      break;
    case 'bank deposit':
      add('SALE', 'Bank Deposit', total);
      break;
    case 'cash':
      add('CHANGE', 'cash', 300, { parentId: add('SALE', 'cash', total + 300) });
      break;
    default:
      add('SALE', 'shopify_payments', total);
  }
  return created;
}

/** Refunds made in Shopify's own admin. */
function refundInStore(order: Order, amounts: readonly number[]): void {
  const [payment] = order.transactions;
  for (const [at, amount] of amounts.entries()) {
    const transaction: Transaction = {
      id: order.id + 600 + at,
      kind: 'REFUND',
      status: 'SUCCESS',
      gateway: payment?.gateway ?? 'shopify_payments',
      amount,
      parentId: payment?.id ?? null,
      createdAt: order.createdAt,
    };
    order.transactions.push(transaction);
    order.refunds.push({
      id: order.id + 700 + at,
      note: at === 0 ? 'Arrived broken' : null,
      // The last of many was imported from another system.
      createdAt: at === 6 ? null : order.createdAt,
      processedAt: order.createdAt,
      lines: [],
      shipping: 0,
      transactions: [transaction],
      notified: null,
    });
  }
}
