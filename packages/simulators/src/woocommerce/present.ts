import {
  decimalOf,
  PLACES,
  refundedOf,
  totalOf,
  type WooItem,
  type WooOrder,
  type WooRefund,
} from './order.js';

export interface PresentOptions {
  /** The parameter `dp`; by default the order's own decimals. */
  readonly dp: number | null;
  readonly siteOffsetMinutes: number;
}

export const METHODS: Readonly<Record<string, string>> = {
  stripe: 'Card',
  bacs: 'Direct bank transfer',
};

/** One moment in site time and GMT, both without an offset. */
export const wallClock = (at: Date, offsetMinutes: number): string =>
  new Date(at.getTime() + offsetMinutes * 60_000).toISOString().slice(0, 19);

const dates = (name: string, at: Date | null, { siteOffsetMinutes }: PresentOptions) => ({
  [name]: at && wallClock(at, siteOffsetMinutes),
  [`${name}_gmt`]: at && wallClock(at, 0),
});

/** Taxes of a line are shown with their stored precision. */
const stored = (amount: number): string => String(Number(decimalOf(amount, PLACES)));

export function presentOrder(order: WooOrder, options: PresentOptions) {
  const money = (amount: number) => decimalOf(amount, options.dp ?? order.decimals);
  const of = (kind: WooItem['kind']) => order.items.filter((item) => item.kind === kind);
  const sum = (items: readonly WooItem[], what: (item: WooItem) => number) =>
    items.reduce((all, item) => all + what(item), 0);
  const taxOf = (item: WooItem) => item.taxes.reduce((all, tax) => all + tax.total, 0);
  const [first, last] = order.name;
  const address = {
    first_name: first,
    last_name: last,
    company: '',
    address_1: '1 Kiln Lane',
    address_2: '',
    city: 'Delft',
    state: '',
    postcode: '2611',
    country: 'NL',
  };
  return {
    id: order.id,
    parent_id: 0,
    status: order.status,
    currency: order.currency,
    version: '11.0.1',
    prices_include_tax: order.id % 2 === 1,
    ...dates('date_created', order.createdAt, options),
    ...dates('date_modified', order.modifiedAt, options),
    discount_total: money(sum(order.items, ({ subtotal, total }) => subtotal - total)),
    discount_tax: money(0),
    shipping_total: money(sum(of('shipping_lines'), ({ total }) => total)),
    shipping_tax: money(sum(of('shipping_lines'), taxOf)),
    cart_tax: money(sum(of('line_items'), taxOf)),
    total: money(totalOf(order)),
    total_tax: money(sum(order.items, taxOf)),
    customer_id: order.customerId,
    order_key: `wc_order_${order.id}`,
    billing: { ...address, email: order.email, phone: '' },
    shipping: { ...address, phone: '' },
    payment_method: order.method,
    payment_method_title: METHODS[order.method] ?? '',
    transaction_id: '',
    customer_note: order.note,
    created_via: 'checkout',
    number: String(order.id),
    ...dates('date_completed', order.completedAt, options),
    ...dates('date_paid', order.paidAt, options),
    meta_data: order.completedAt ? trackingOf(order, order.completedAt) : [],
    line_items: of('line_items').map((item) => ({
      ...presentItem(item, money),
      name: item.name,
      sku: item.sku,
      product_id: 90,
      variation_id: 0,
      quantity: item.quantity,
      price: Number(decimalOf(item.total, PLACES)) / item.quantity,
    })),
    tax_lines: [],
    shipping_lines: of('shipping_lines').map((item) => ({
      ...presentItem(item, money),
      method_title: item.name,
      method_id: 'flat_rate',
    })),
    fee_lines: of('fee_lines').map((item) => ({ ...presentItem(item, money), name: item.name })),
    coupon_lines: [],
    refunds: [...order.refunds].reverse().map(({ id, reason, amount }) => ({
      id,
      reason,
      total: `-${money(amount ?? 0)}`,
    })),
    is_editable: false,
    needs_payment: order.paidAt === null && totalOf(order) > refundedOf(order),
  };
}

/** As the extension Shipment Tracking stores it, in the order's metadata. */
const trackingOf = ({ id }: WooOrder, shippedAt: Date) => [
  {
    id: id * 10,
    key: '_wc_shipment_tracking_items',
    value: [
      {
        tracking_provider: 'postnl',
        custom_tracking_provider: '',
        custom_tracking_link: `https://postnl.example/track/3S${id}`,
        tracking_number: `3S${id}`,
        date_shipped: String(Math.floor(shippedAt.getTime() / 1_000)),
        tracking_id: `track${id}`,
      },
    ],
  },
];

const presentItem = (item: WooItem, money: (amount: number) => string) => ({
  id: item.id,
  subtotal: money(item.subtotal),
  total: money(item.total),
  total_tax: money(item.taxes.reduce((all, tax) => all + tax.total, 0)),
  taxes: item.taxes.map(({ rateId, total }) => ({
    id: rateId,
    total: stored(total),
    subtotal: stored(total),
  })),
  meta_data: [],
});

export function presentRefund(refund: WooRefund, { decimals }: WooOrder, options: PresentOptions) {
  const money = (amount: number) => decimalOf(amount, options.dp ?? decimals);
  const of = (kind: WooItem['kind']) =>
    refund.items
      .filter((item) => item.of.kind === kind)
      .map(({ of: { id, name }, quantity, total, taxes }, at) => ({
        id: refund.id + 1 + at,
        name,
        quantity: -quantity,
        total: money(-total),
        total_tax: money(-taxes.reduce((all, tax) => all + tax.total, 0)),
        taxes: taxes.map((tax) => ({ id: tax.rateId, total: stored(-tax.total) })),
        meta_data: [{ id: refund.id, key: '_refunded_item_id', value: String(id) }],
      }));
  return {
    id: refund.id,
    parent_id: refund.orderId,
    ...dates('date_created', refund.createdAt, options),
    amount: refund.amount === null ? '' : money(refund.amount),
    reason: refund.reason,
    refunded_by: 1,
    refunded_payment: refund.refundedPayment,
    meta_data: refund.meta.map(({ key, value }, at) => ({ id: refund.id * 10 + at, key, value })),
    line_items: of('line_items'),
    shipping_lines: of('shipping_lines'),
    tax_lines: [],
    fee_lines: of('fee_lines'),
  };
}
