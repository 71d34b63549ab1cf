import type { WooOrder } from './seeded-orders.js';
import { decimalOf, GATEWAYS, PLACES, refundedOf, totalOf, type WooItem, type WooRefund } from './order.js';

/** The offset of the shop's time zone from GMT. */
export const SITE_OFFSET_MINUTES = 60;

/** One moment in site time and GMT, both without an offset. */
export const wallClock = (at: Date, offsetMinutes: number): string =>
  new Date(at.getTime() + offsetMinutes * 60_000).toISOString().slice(0, 19);

const dates = (name: string, at: Date | null) => ({
  [name]: at && wallClock(at, SITE_OFFSET_MINUTES),
  [`${name}_gmt`]: at && wallClock(at, 0),
});

/** Taxes of a line are shown with their stored precision. */
const stored = (amount: number): string => String(Number(decimalOf(amount, PLACES)));

/** `dp`: the decimals of amounts; null: those of the order. */
export function presentOrder(order: WooOrder, dp: number | null) {
  const money = (amount: number) => decimalOf(amount, dp ?? order.decimals);
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
    ...dates('date_created', order.createdAt),
    ...dates('date_modified', order.modifiedAt),
    discount_total: money(sum(order.items, ({ subtotal, total }) => subtotal - total)),
    shipping_total: money(sum(of('shipping_lines'), ({ total }) => total)),
    total: money(totalOf(order)),
    total_tax: money(sum(order.items, taxOf)),
    customer_id: order.customerId,
    billing: { ...address, email: order.email, phone: '' },
    shipping: { ...address, phone: '' },
    payment_method: order.method,
    payment_method_title: GATEWAYS.find(({ id }) => id === order.method)?.title ?? '',
    customer_note: order.note,
    number: String(order.id),
    ...dates('date_completed', order.completedAt),
    ...dates('date_paid', order.paidAt),
    meta_data: order.completedAt ? trackingOf(order, order.completedAt) : [],
    line_items: of('line_items').map((item) => ({
      ...presentItem(item, money),
      name: item.name,
      sku: item.sku,
      quantity: item.quantity,
      price: Number(decimalOf(item.total, PLACES)) / item.quantity,
    })),
    tax_lines: [],
    shipping_lines: of('shipping_lines').map((item) => ({
      ...presentItem(item, money),
      method_title: item.name,
    })),
    fee_lines: of('fee_lines').map((item) => ({ ...presentItem(item, money), name: item.name })),
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

export function presentRefund(refund: WooRefund, { decimals }: WooOrder, dp: number | null) {
  const money = (amount: number) => decimalOf(amount, dp ?? decimals);
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
    ...dates('date_created', refund.createdAt),
    amount: refund.amount === null ? '' : money(refund.amount),
    reason: refund.reason,
    refunded_payment: refund.refundedPayment,
    meta_data: refund.meta.map(({ key, value }, at) => ({ id: refund.id * 10 + at, key, value })),
    line_items: of('line_items'),
    shipping_lines: of('shipping_lines'),
    tax_lines: [],
    fee_lines: of('fee_lines'),
  };
}
