import type { Order } from './seeded-orders.js';
import { fieldsOf } from '../wire/exchange.js';
import { toAmount, toMinor, refundableByProviders } from './amounts.js';
import { refundedUnits } from './present-order.js';
import {
  capturedBySource,
  capturedMinor,
  hasFailed,
  isOffline,
  linesOf,
  refundedMinor,
  type RefundedItem,
} from './order.js';

export interface PaymentOption {
  readonly provider: string;
  readonly minor: number;
  readonly offline: boolean;
  readonly reason: string;
}

/**
 * The cost of some items with tax, limited to the order's remainder; an error text when they are rejected.
 */
export function quoteRefund(order: Order, asked: unknown) {
  const requested = fieldsOf(asked)['items'];
  if (!Array.isArray(requested) || requested.length === 0) return 'items: error.path.missing';
  const read = requested.map((item) => readItem(order, fieldsOf(item)));
  const wrong = read.find((one) => typeof one === 'string');
  if (wrong !== undefined) return wrong;
  const items = read.filter((one) => typeof one !== 'string');
  const remaining = capturedMinor(order) - refundedMinor(order);
  const atOrderLevel = items.filter(({ item }) => item.item_type === 'ORDER');
  const orderLevelMinor = atOrderLevel.reduce((sum, { minor }) => sum + minor, 0);
  if (remaining <= 0 || orderLevelMinor > remaining) return 'Refund amount is greater than remaining amount';

  const exact = items.reduce((sum, { minor }) => sum + minor, 0);
  const rounded = refundableByProviders(exact, order.currency);
  const minor = Math.min(rounded, remaining);
  return {
    minor,
    taxMinor: items.reduce((sum, { tax }) => sum + tax, 0),
    orderLevelMinor,
    roundingMinor: rounded - exact,
    adjustmentMinor: minor - rounded,
    items: items.map(({ item }): RefundedItem => item),
    methods: methodsOf(order, minor),
  };
}

type RefundQuote = Exclude<ReturnType<typeof quoteRefund>, string>;

function readItem(order: Order, provided: Readonly<Record<string, unknown>>) {
  const { item_type: type, item_id: id, quantity, amount, reason = '' } = provided;
  if (typeof type !== 'string' || typeof id !== 'number') return 'item_id: error.expected.jsnumber';
  if (typeof reason !== 'string' || reason.length > 1_000) return 'reason: error.maxLength';
  const item = { item_type: type, item_id: id, reason };
  if (type === 'PRODUCT') return readProduct(order, item, quantity);
  const asked = toMinor(amount, order.currency);
  if (asked === null || asked === 0) return 'amount: error.expected.jsnumber';
  return readAmount(order, { ...item, asked });
}

function readProduct(order: Order, item: Omit<RefundedItem, 'asked' | 'quantity'>, quantity: unknown) {
  const line = linesOf(order).find(({ id }) => id === item.item_id);
  if (!line) return `Order product ${item.item_id} does not exist`;
  if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1) {
    return 'quantity: error.expected.jsnumber';
  }
  if (quantity > line.quantity - refundedUnits(order, line.id)) {
    return 'Refund quantity is greater than remaining quantity';
  }
  const share = (minor: number) => Math.round((minor * quantity) / line.quantity);
  const minor = share(line.incTax);
  return { item: { ...item, quantity, asked: null }, minor, tax: minor - share(line.exTax) };
}

/** Amounts are before tax when the order's prices are; an amount for the whole order never includes tax. */
function readAmount(order: Order, item: RefundedItem & { readonly asked: number }) {
  const { item_type: type, item_id: id, asked } = item;
  if (type === 'ORDER') {
    return id === order.id ? { item, minor: asked, tax: 0 } : `Order ${id} does not match`;
  }
  const most = maxAmountOf(order, type, id);
  if (most === null) return `${type} ${id} does not exist`;
  const before = order.refunds
    .filter(({ payments }) => payments.some((payment) => !hasFailed(order, payment)))
    .flatMap(({ items }) => items)
    .filter((one) => one.item_type === type && one.item_id === id)
    .reduce((sum, one) => sum + (one.asked ?? 0), 0);
  if (asked > most - before) return 'Refund amount is greater than remaining amount';
  const tax = order.taxInclusive
    ? Math.round((asked * order.taxPercent) / (100 + order.taxPercent))
    : Math.round((asked * order.taxPercent) / 100);
  return { item, minor: order.taxInclusive ? asked : asked + tax, tax };
}

function maxAmountOf({ consignments, fees, taxInclusive }: Order, type: string, id: number): number | null {
  const consignment = consignments.find((one) => one.id === id);
  const fee = fees.find((one) => one.id === id);
  if (type === 'FEE' && fee) return taxInclusive ? fee.incTax : fee.exTax;
  if (type === 'SHIPPING' && consignment) return taxInclusive ? consignment.incTax : consignment.exTax;
  if (type === 'HANDLING' && consignment) {
    return taxInclusive ? consignment.handlingIncTax : consignment.handlingExTax;
  }
  return null;
}

/** The refund methods, store credit first as in the documentation's example. */
function methodsOf(order: Order, minor: number): PaymentOption[][] {
  const { provider } = order;
  const has = capturedBySource(order);
  const leftOf = (kind: keyof typeof has, name: string) =>
    Math.max(0, has[kind] - refundedMinor(order, (payment) => payment.provider === name));
  const outside = 'This is an offline payment provider.';
  const option = (name: string, part: number): PaymentOption => ({
    provider: name,
    minor: part,
    offline: isOffline(name),
    reason: isOffline(name) ? outside : '',
  });
  const own: PaymentOption[] = [];
  let rest = minor;
  for (const [kind, name] of [
    ['provider', provider],
    ['giftcertificate', 'giftcertificate'],
    ['storecredit', 'storecredit'],
  ] as const) {
    const part = Math.min(rest, leftOf(kind, name));
    if (part > 0) own.push(option(name, part));
    rest -= part;
  }
  return [
    ...(order.customerId === 0 ? [] : [[option('storecredit', minor)]]),
    [option('custom', minor)],
    ...(rest === 0 && own.length > 0 ? [own] : []),
  ];
}

export const presentQuote = (order: Order, quote: RefundQuote) => ({
  order_id: order.id,
  total_refund_amount: toAmount(quote.minor, order.currency),
  total_refund_tax_amount: toAmount(quote.taxMinor, order.currency),
  rounding: toAmount(quote.roundingMinor, order.currency),
  adjustment: toAmount(quote.adjustmentMinor, order.currency),
  refund_methods: quote.methods.map((method) =>
    method.map(({ provider, minor, offline, reason }) => ({
      provider_id: provider,
      amount: toAmount(minor, order.currency),
      offline,
      offline_reason: reason,
    })),
  ),
});
