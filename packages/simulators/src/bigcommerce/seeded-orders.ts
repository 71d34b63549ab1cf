import { linesOf, type Refund, type Transaction } from './order.js';

/** The differences from a guest order of 21.60 plus 5.40 shipping, paid by card. */
interface OrderScenario {
  readonly statusId: number;
  readonly paymentStatus?: string;
  readonly method?: readonly [name: string, provider: string];
  readonly currency?: string;
  readonly customer?: boolean;
  readonly quantity?: number;
  readonly consignments?: number;
  readonly handling?: number;
  readonly digital?: boolean;
  readonly taxInclusive?: boolean;
  readonly discount?: number;
  readonly storeCredit?: number;
  readonly giftCertificate?: number;
  readonly fee?: number;
  readonly refund?: Partial<Pick<Refund['payments'][number], 'provider' | 'minor' | 'offline' | 'declined'>>;
}

const COD = ['Cash on Delivery', 'cod'] as const;
const BANK = ['Bank Deposit', 'bankdeposit'] as const;

/** Every order status, and every combination of payment and refund. */
const scenarios: readonly OrderScenario[] = [
  { statusId: 11, currency: 'KWD' },
  { statusId: 0, paymentStatus: 'pending' },
  { statusId: 1, paymentStatus: 'pending' },
  { statusId: 2, quantity: 3 },
  { statusId: 3, quantity: 2, customer: true },
  { statusId: 4, paymentStatus: 'refunded', refund: {} },
  { statusId: 5, paymentStatus: 'void' },
  { statusId: 6, paymentStatus: 'declined' },
  { statusId: 7, paymentStatus: '', method: BANK },
  { statusId: 8, paymentStatus: '', method: COD },
  { statusId: 9, customer: true, handling: 200 },
  { statusId: 10, digital: true },
  { statusId: 11, currency: 'JPY' },
  { statusId: 12, paymentStatus: 'held for review' },
  { statusId: 13 },
  { statusId: 14, paymentStatus: 'partially refunded', refund: { minor: 500 } },
  { statusId: 11, customer: true, storeCredit: 1000 },
  { statusId: 11, customer: true, giftCertificate: 700 },
  { statusId: 7, paymentStatus: 'authorized' },
  { statusId: 7, paymentStatus: 'capture pending' },
  { statusId: 5, paymentStatus: 'void pending' },
  { statusId: 10, consignments: 2, quantity: 2 },
  { statusId: 11, taxInclusive: true },
  { statusId: 11, discount: 300, quantity: 3 },
  { statusId: 11, customer: true, refund: { declined: 'Do not honor' } },
  {
    statusId: 14,
    paymentStatus: 'partially refunded',
    customer: true,
    refund: { provider: 'storecredit', minor: 400 },
  },
  { statusId: 14, paymentStatus: '', method: COD, refund: { provider: 'custom', minor: 300, offline: true } },
  { statusId: 11, fee: 250 },
  { statusId: 4, paymentStatus: 'captured' },
  { statusId: 11, customer: true },
  { statusId: 11, paymentStatus: 'paid' },
  { statusId: 11, quantity: 2 },
];

const DAY_MS = 86_400_000;

/** One day apart, newest last, with IDs as a store assigns them. */
export const seededOrders = (): Order[] => scenarios.map((story, index) => seededOrder(story, index));

/** In the store's internal model; amounts in the smallest unit of the shopper's currency. */
export type Order = ReturnType<typeof seededOrder>;
export type Consignment = Order['consignments'][number];
export type OrderLine = Consignment['lines'][number];

function seededOrder(story: OrderScenario, index: number) {
  const id = 100 + index;
  const { currency = 'USD', quantity = 1, taxInclusive = false, discount = 0 } = story;
  const taxPercent = currency === 'USD' ? 8 : 0;
  const created = new Date(Date.parse('2026-10-01T08:00:00.000Z') + index * DAY_MS);
  const incTax = (minor: number) => Math.round((minor * (100 + taxPercent)) / 100);
  const [paymentMethod, provider]: readonly [string, string] = story.method ?? ['Credit Card', 'braintree'];
  const line = (at: number) => {
    const exTax = (2000 + index * 10) * quantity - discount;
    return {
      id: id * 10 + at,
      name: `Mug ${index}`,
      sku: `MUG-${index}`,
      quantity,
      /** For all its units, after discounts. */
      exTax,
      incTax: incTax(exTax),
      /** The cost of all its units before discounts, with tax. */
      listed: incTax(exTax + discount),
    };
  };
  const consignment = (at: number) => ({
    id: id * 10 + 5 + at,
    method: 'Flat Rate',
    exTax: 500,
    incTax: incTax(500),
    lines: [line(at)],
    handlingExTax: story.handling ?? 0,
    handlingIncTax: incTax(story.handling ?? 0),
  });
  const count = story.digital ? 0 : (story.consignments ?? 1);
  const consignments = Array.from({ length: count }, (_, at) => consignment(at));
  const downloads = story.digital ? [line(0)] : [];
  const fees = story.fee
    ? [{ id: id * 10 + 9, name: 'Protection', exTax: story.fee, incTax: incTax(story.fee) }]
    : [];
  const sum = (of: 'exTax' | 'incTax', handling: 'handlingExTax' | 'handlingIncTax') =>
    [...linesOf({ consignments, downloads }), ...consignments, ...fees].reduce(
      (total, one) => total + one[of],
      consignments.reduce((total, one) => total + one[handling], 0),
    );
  const total = sum('incTax', 'handlingIncTax');
  const [storeCredit, giftCertificate] = [story.storeCredit ?? 0, story.giftCertificate ?? 0];
  const paymentStatus = story.paymentStatus ?? 'captured';
  const order = {
    id,
    customerId: story.customer ? 7 : 0,
    name: story.customer ? 'Jo Park' : `Guest ${index}`,
    email: story.customer ? 'jo@example.test' : `Guest${index}@example.test`,
    currency,
    statusId: story.statusId,
    paymentStatus,
    paymentMethod,
    /** A provider through which the store can send money back, or an offline one. */
    provider,
    taxPercent,
    taxInclusive,
    consignments,
    downloads,
    fees,
    discount,
    total,
    totalExTax: sum('exTax', 'handlingExTax'),
    storeCredit,
    giftCertificate,
    itemsShipped: story.statusId === 3 ? 1 : 0,
    note: index === 3 ? 'Please ring' : '',
    created,
    modified: created,
    transactions: [] as Transaction[],
    refunds: [] as Refund[],
  };
  order.transactions.push(...purchaseTransactions(order, total - storeCredit - giftCertificate));
  if (story.refund) order.refunds.push(refundInStore(order, story.refund));
  return order;
}

function purchaseTransactions({ id, paymentStatus, provider, created }: Order, minor: number): Transaction[] {
  if (!['captured', 'paid', 'partially refunded', 'refunded', 'authorized'].includes(paymentStatus))
    return [];
  const event = paymentStatus === 'authorized' ? 'authorization' : 'purchase';
  return [{ id: id * 100, event, gateway: provider, method: 'credit_card', minor, status: 'ok', created }];
}

/** A refund made in the control panel. */
function refundInStore(order: Order, reported: NonNullable<OrderScenario['refund']>): Refund {
  const { provider = order.provider, minor = order.total, offline = false, declined = null } = reported;
  const created = new Date(order.created.getTime() + DAY_MS / 2);
  const transactionId = offline || declined !== null ? null : order.id * 100 + 1;
  if (transactionId !== null) {
    const made = { event: 'refund', gateway: provider, method: 'credit_card', status: 'ok' } as const;
    order.transactions.push({ id: transactionId, ...made, minor, created });
  }
  return {
    id: order.id * 1_000,
    orderId: order.id,
    created,
    reason: 'Late',
    minor,
    taxMinor: 0,
    reads: 0,
    items: [{ item_type: 'ORDER', item_id: order.id, asked: minor, reason: 'Late' }],
    payments: [{ id: order.id * 1_000, provider, minor, offline, declined, transactionId }],
  };
}
