import { type Random, seededRandom } from '../random.js';
import { CURRENCIES, priceIn, apportion, type CurrencyCode } from './currency.js';
import type { Refund, Payment } from './order.js';
import { type OrderScenario, paymentsFor, pickScenario } from './order-scenarios.js';
import { type Person, addressOf, somePerson } from './people.js';
import type { Shop } from './shops.js';

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 120;

/** A shop's last 120 days, identical for the same seed and day. */
export function seededOrders(seed: number, shop: Shop, epoch: Date) {
  const random = seededRandom(`${seed}:orders:${shop.id}`);
  const regulars = new Map<string, { id: string; person: Person }>();
  return Array.from({ length: shop.orderCount }, (_, index) => {
    // Evenly distributed with some jitter, so that numbers and times increase together.
    const ageDays = HISTORY_DAYS * (1 - (index + 0.9 * random.next()) / shop.orderCount);
    const number = String(shop.firstNumber + index);
    return seededOrder(
      random,
      shop,
      number,
      new Date(epoch.getTime() - Math.round(ageDays * DAY_MS)),
      ageDays,
      regulars,
    );
  });
}

function seededOrder(
  random: Random,
  shop: Shop,
  number: string,
  createdAt: Date,
  ageDays: number,
  regulars: Map<string, { id: string; person: Person }>,
) {
  const currency = random.pickWeighted(shop.currencies);
  const story = pickScenario(random, ageDays);
  const order = orderOf(random, { shop, number, createdAt, ageDays, currency, story }, regulars);
  return { order, refunds: seededRefunds(random, order, story, ageDays) };
}

interface OrderFacts {
  readonly shop: Shop;
  readonly number: string;
  readonly createdAt: Date;
  readonly ageDays: number;
  readonly currency: CurrencyCode;
  readonly story: OrderScenario;
}

/**
 * An order as placed and paid; refunds are stored separately. All money in minor units. Named as on the wire.
 */
export type Order = ReturnType<typeof orderOf>;

function orderOf(
  random: Random,
  { shop, number, createdAt, ageDays, currency, story }: OrderFacts,
  regulars: Map<string, { id: string; person: Person }>,
) {
  const created_at = createdAt.toISOString();
  const goods = someGoods(random, shop, currency);
  const shipped = !random.chance(0.08);
  const shipping_lines = shipped ? [someShipping(random, currency)] : [];
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const totals = {
    subtotal: sum(goods.map((line) => line.unit_price * line.quantity)),
    discount_total: sum(goods.map((line) => line.discount)),
    shipping_total: sum(shipping_lines.map((line) => line.price)),
    tax_total: sum([...goods, ...shipping_lines].map((line) => line.tax)),
    total: sum([...goods, ...shipping_lines].map((line) => line.total)),
  };
  const { person, customer } = someBuyer(random, currency, regulars);
  const billing = addressOf(random, person, currency);
  // Some customers pay with a different address from the one of their account.
  const billingEmail = customer && random.chance(0.1) ? `billing.${person.email}` : person.email;
  const receiver = random.chance(0.15) ? { ...somePerson(random, currency), phone: null } : undefined;
  return {
    id: random.id('so_'),
    shop: shop.id,
    number,
    status: story.status,
    /** Without refunds. */
    payment_status: story.payment_status,
    fulfillment_status: story.fulfillment_status,
    currency,
    ...totals,
    customer,
    billing_address: { ...billing, email: billingEmail },
    shipping_address: shipped ? (receiver ? addressOf(random, receiver, currency) : billing) : null,
    line_items: goods,
    shipping_lines,
    payments: paymentsFor(random, story, totals.total, created_at),
    note: random.chance(0.08)
      ? random.pick(['Please leave with the neighbour.', 'It is a gift: no prices, please.', 'Ring twice.'])
      : null,
    created_at,
    updated_at: new Date(createdAt.getTime() + changedAfterMs(random, story, ageDays)).toISOString(),
  };
}

function someGoods(random: Random, shop: Shop, currency: CurrencyCode) {
  const count = random.pickWeighted([
    [40, 1],
    [32, 2],
    [18, 3],
    [10, 4],
  ]);
  const first = random.int(0, shop.products.length - 1);
  const chosen = Array.from(
    { length: count },
    (_, index) => shop.products[(first + index * 2) % shop.products.length] ?? shop.products[0],
  );
  const lines = chosen.flatMap((product) => {
    if (!product) return [];
    const [sku, title, euros] = product;
    const quantity = random.pickWeighted([
      [66, 1],
      [20, 2],
      [9, 3],
      [5, 6],
    ]);
    return [{ id: random.id('li_'), sku, title, quantity, unit_price: priceIn(currency, euros) }];
  });
  const prices = lines.map((line) => line.quantity * line.unit_price);
  const share = random.chance(0.3) ? random.pick([0.05, 0.1, 0.15]) : 0;
  const discounts = apportion(Math.round(prices.reduce((total, price) => total + price, 0) * share), prices);
  return lines.map((line, index) => {
    const discount = discounts[index] ?? 0;
    const net = line.quantity * line.unit_price - discount;
    const tax = Math.round(net * CURRENCIES[currency].taxRate);
    return { ...line, discount, tax, total: net + tax };
  });
}

function someShipping(random: Random, currency: CurrencyCode) {
  const [title, euros] = random.pickWeighted([
    [60, ['Standard', 4.9] as const],
    [25, ['Express', 14.5] as const],
    [15, ['Free shipping', 0] as const],
  ]);
  const price = priceIn(currency, euros);
  const { shippingTaxed, taxRate } = CURRENCIES[currency];
  const tax = shippingTaxed ? Math.round(price * taxRate) : 0;
  return { id: random.id('sl_'), title, price, tax, total: price + tax };
}

function someBuyer(
  random: Random,
  currency: CurrencyCode,
  regulars: Map<string, { id: string; person: Person }>,
) {
  const person = somePerson(random, currency);
  if (random.chance(0.3)) return { person, customer: null };
  const known = regulars.get(person.name) ?? { id: random.id('cus_'), person };
  regulars.set(person.name, known);
  return {
    person: known.person,
    customer: { id: known.id, name: known.person.name, email: known.person.email },
  };
}

function changedAfterMs(
  random: Random,
  { fulfillment_status, status }: OrderScenario,
  ageDays: number,
): number {
  const days =
    fulfillment_status === 'unfulfilled' && status === 'open'
      ? 0.02 * random.next()
      : 0.5 + 2.5 * random.next();
  return Math.round(Math.min(days, ageDays * 0.9) * DAY_MS);
}

/** The shop's own refunds from before the sandbox started. */
function seededRefunds(random: Random, order: Order, { refunded }: OrderScenario, ageDays: number): Refund[] {
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
