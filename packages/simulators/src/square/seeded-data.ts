import type { MerchantData, Money, Order, Payment } from './model.js';

export interface SeedOptions {
  /** The number of orders and locations. */
  readonly orders?: number;
  readonly locations?: number;
}

export const MERCHANT = {
  id: 'MLKILN0001',
  business_name: 'Kiln & Co',
  country: 'US',
  currency: 'USD',
  status: 'ACTIVE',
};

const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-10-01T08:00:00.123Z');
const CURRENCIES = ['USD', 'JPY', 'KWD'];
const BUYERS = 7;

/** The kinds of orders, in rotation. */
const KINDS = [
  'paid',
  'shipped',
  'unpaid',
  'cash',
  'card and cash',
  'authorized',
  'cancelled',
  'partly refunded',
  'refunded',
  'guest',
  'two cards',
  'card must be present',
] as const;
type SeededKind = (typeof KINDS)[number];

const locationOf = (index: number) => ({
  id: `LOC${index}`,
  merchant_id: MERCHANT.id,
  name: `Shop ${index}`,
  status: index === 1 ? 'INACTIVE' : 'ACTIVE',
  country: 'US',
  currency: CURRENCIES[index] ?? 'USD',
});
export type Location = ReturnType<typeof locationOf>;

/** A merchant with orders of every kind, including a draft and a sale of zero. */
export function seededData({ orders: count = 48, locations: places = 3 }: SeedOptions): MerchantData {
  const locations = Array.from({ length: places }, (_, index) => locationOf(index));
  const books: MerchantData = {
    locations,
    orders: [],
    payments: new Map(),
    past: new Map(),
    refunds: new Map(),
    customers: new Map(Array.from({ length: BUYERS }, (_, index) => [`CUS${index}`, customerOf(index)])),
  };
  for (let index = 0; index < count; index++) {
    const location = locations[(index + Math.floor(index / KINDS.length)) % places] as Location;
    addOrder(books, index, KINDS[index % KINDS.length] as SeededKind, location);
  }
  const [main] = locations;
  if (main && count > 0) {
    books.orders.push(orderOf(count, 'DRAFT', main, { line_items: [] }));
    books.orders.push(
      orderOf(count + 1, 'COMPLETED', main, {
        line_items: [],
        total_money: { amount: 0, currency: main.currency },
        tenders: [{ id: 'TENDER0', location_id: main.id, type: 'NO_SALE' }],
      }),
    );
  }
  return books;
}

/** The kinds that the store refunded itself, partially or fully. */
export const seededRefunds = ({
  payments,
}: MerchantData): readonly { readonly paymentId: string; readonly amount: number }[] =>
  [...payments.values()].flatMap(({ id, note, total_money: { amount } }) => {
    if (note === 'partly refunded') return [{ paymentId: id, amount: Math.floor(amount / 3) }];
    return note === 'refunded' ? [{ paymentId: id, amount }] : [];
  });

/** The amounts of a seeded order, and what its kind implies. */
function termsOf(index: number, kind: SeededKind, location: Location) {
  const { currency } = location;
  return {
    index,
    kind,
    location,
    goods: 2_000 + 10 * index,
    shipping: kind === 'shipped' || kind === 'guest' ? 499 : 0,
    tax: 160,
    discount: kind === 'shipped' ? 100 : 0,
    tip: kind === 'card must be present' ? 300 : 0,
    money: (amount: number): Money => ({ amount, currency }),
  };
}
type OrderTerms = ReturnType<typeof termsOf>;

const totalOf = ({ goods, shipping, tax, discount, tip }: OrderTerms) =>
  goods + shipping + tax - discount + tip;

function addOrder(books: MerchantData, index: number, kind: SeededKind, location: Location): void {
  const terms = termsOf(index, kind, location);
  const { shipping, tax, discount, money } = terms;
  const payments = paymentsOf(terms);
  for (const payment of payments) books.payments.set(payment.id, payment);
  const open = kind === 'unpaid' || kind === 'authorized';
  books.orders.push(
    orderOf(index, kind === 'cancelled' ? 'CANCELED' : open ? 'OPEN' : 'COMPLETED', location, {
      ...(index % 4 === 0 && { reference_id: `K-${1000 + index}` }),
      ...(kind === 'shipped' && { customer_id: `CUS${index % BUYERS}` }),
      line_items: [lineOf(terms)],
      taxes: [
        {
          uid: 'sales-tax',
          name: 'Sales tax',
          percentage: '8',
          type: 'ADDITIVE',
          scope: 'ORDER',
          applied_money: money(tax),
        },
      ],
      ...deliveryOf(terms),
      ...(payments.length > 0 && { tenders: payments.map(tenderOf) }),
      total_money: money(totalOf(terms)),
      total_tax_money: money(tax),
      total_discount_money: money(discount),
      total_service_charge_money: money(shipping),
    }),
  );
}

const paymentsOf = (terms: OrderTerms): readonly Payment[] =>
  tendersOf(terms.kind, totalOf(terms)).map(([type, amount, details], at): Payment => {
    const { index, kind, location, tip, money } = terms;
    return {
      id: `PAY${index}x${at}`,
      order_id: `ORDER${String(index).padStart(4, '0')}`,
      location_id: location.id,
      status: kind === 'authorized' ? 'APPROVED' : kind === 'cancelled' ? 'CANCELED' : 'COMPLETED',
      source_type: type,
      amount_money: money(amount - tip),
      ...(tip > 0 && { tip_money: money(tip) }),
      total_money: money(amount),
      ...details(money(amount)),
      ...(kind === 'guest' && { buyer_email_address: `guest${index}@example.test` }),
      ...(kind === 'paid' && { customer_id: `CUS${index % BUYERS}` }),
      note: kind,
      created_at: timeOf(index, 4_000),
      updated_at: timeOf(index, 5_000),
      version_token: `PAY${index}x${at}v0`,
    };
  });

function lineOf({ index, kind, goods, tax, discount, money }: OrderTerms) {
  const measured = kind === 'two cards';
  return {
    uid: `line${index}`,
    name: measured ? 'Clay' : `Mug ${index}`,
    variation_name: 'Regular',
    quantity: measured ? '2.25' : '2',
    base_price_money: money(goods / 2),
    gross_sales_money: money(goods),
    total_tax_money: money(tax),
    total_discount_money: money(discount),
    total_money: money(goods + tax - discount),
  };
}

/** The shipping with its cost, or the pickup. */
function deliveryOf({ index, kind, shipping, money }: OrderTerms) {
  const recipient = {
    display_name: kind === 'guest' ? `Guest ${index}` : nameOf(index),
    ...(kind === 'guest' && { email_address: `Guest${index}@Example.test` }),
    address: {
      address_line_1: '1 Kiln Street',
      locality: 'Oakland',
      administrative_district_level_1: 'CA',
      postal_code: '94607',
      country: 'US',
    },
  };
  if (kind === 'unpaid') {
    return {
      fulfillments: [{ uid: 'ful', type: 'PICKUP', state: 'PROPOSED', pickup_details: { recipient } }],
    };
  }
  if (shipping === 0) return {};
  const [applied_money, total_money] = [money(shipping), money(shipping)];
  const state = kind === 'shipped' ? 'COMPLETED' : 'PREPARED';
  return {
    service_charges: [{ uid: 'ship', name: 'Shipping', type: 'CUSTOM', applied_money, total_money }],
    fulfillments: [{ uid: 'ful', type: 'SHIPMENT', state, shipment_details: { recipient } }],
  };
}

type PaymentDetails = (money: Money) => Readonly<Record<string, unknown>>;

const card =
  (brand: string, more: object = {}): PaymentDetails =>
  () => ({
    card_details: { status: 'CAPTURED', card: { card_brand: brand, last_4: '1111' }, ...more },
  });
const cash: PaymentDetails = (money) => ({ cash_details: { buyer_supplied_money: money } });
const external: PaymentDetails = () => ({
  external_details: { type: 'OTHER', source: 'Food Delivery Service' },
});

function tendersOf(
  kind: SeededKind,
  total: number,
): readonly (readonly [type: string, amount: number, details: PaymentDetails])[] {
  const half = Math.floor(total / 2);
  switch (kind) {
    case 'unpaid':
      return [];
    case 'cash':
      return [['CASH', total, cash]];
    case 'card and cash':
      return [
        ['CARD', total - half, card('VISA')],
        ['CASH', half, cash],
      ];
    case 'guest':
      return [['EXTERNAL', total, external]];
    case 'two cards':
      return [
        ['CARD', total - half, card('VISA')],
        ['CARD', half, card('SQUARE_GIFT_CARD')],
      ];
    case 'card must be present':
      return [['CARD', total, card('INTERAC', { refund_requires_card_presence: true })]];
    default:
      return [['CARD', total, card('VISA')]];
  }
}

const TENDER_TYPES: Readonly<Record<string, string>> = { EXTERNAL: 'OTHER' };

const tenderOf = (payment: Payment) => ({
  id: payment.id,
  payment_id: payment.id,
  location_id: payment.location_id,
  type: TENDER_TYPES[payment.source_type] ?? payment.source_type,
  amount_money: payment.total_money,
  created_at: payment.created_at,
});

/** Every fourth order has the same time as the previous one. */
const timeOf = (index: number, afterMs: number): string =>
  new Date(FIRST + (index - (index % 4 === 3 ? 1 : 0)) * (DAY_MS / 4) + afterMs).toISOString();

function orderOf(
  index: number,
  state: Order['state'],
  location: Location,
  more: Readonly<Record<string, unknown>>,
): Order {
  const closed = state === 'COMPLETED' || state === 'CANCELED';
  return {
    id: `ORDER${String(index).padStart(4, '0')}`,
    location_id: location.id,
    state,
    total_money: { amount: 0, currency: location.currency },
    ...more,
    created_at: timeOf(index, 0),
    updated_at: timeOf(index, ((index * 7) % 5) * DAY_MS + 6_000),
    ...(closed && { closed_at: timeOf(index, 6_000) }),
    version: 1,
  };
}

const nameOf = (index: number): string => `Ada Potter ${index % BUYERS}`;

const customerOf = (index: number) => ({
  id: `CUS${index}`,
  given_name: 'Ada',
  family_name: `Potter ${index}`,
  email_address: `ada${index}@example.test`,
});
