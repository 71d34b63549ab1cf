import type { Consignment, Order, OrderLine } from './seeded-orders.js';
import { toAmount, formatAmount } from './amounts.js';
import { hasFailed, linesOf, type Refund } from './order.js';

const STATUSES = [
  'Incomplete',
  'Pending',
  'Shipped',
  'Partially Shipped',
  'Refunded',
  'Cancelled',
  'Declined',
  'Awaiting Payment',
  'Awaiting Pickup',
  'Awaiting Shipment',
  'Completed',
  'Awaiting Fulfillment',
  'Manual Verification Required',
  'Disputed',
  'Partially Refunded',
];

/** v2 uses RFC 2822 dates. */
const asMailTime = (time: Date): string => time.toUTCString().replace('GMT', '+0000');

/** A v2 order with the requested `include` parts. */
export function presentOrder(order: Order, query: URLSearchParams) {
  const includes = (query.get('include') ?? '').split(',');
  const { id, currency } = order;
  const text = (minor: number) => formatAmount(minor, currency);
  const sum = (
    some: readonly { readonly exTax: number; readonly incTax: number }[],
    of: 'exTax' | 'incTax',
  ) => text(some.reduce((total, one) => total + one[of], 0));
  const lines = linesOf(order);
  const handling = order.consignments.map(({ handlingExTax: exTax, handlingIncTax: incTax }) => ({
    exTax,
    incTax,
  }));
  const address = addressOf(order);
  const link = (what: string) => ({
    url: `https://api.example/v2/orders/${id}/${what}`,
    resource: `/orders/${id}/${what}`,
  });
  const structure = query.get('consignment_structure') === 'object';
  const consignments = presentConsignments(order, includes.includes('consignments.line_items'));
  return {
    id,
    customer_id: order.customerId,
    date_created: asMailTime(order.created),
    date_modified: asMailTime(order.modified),
    status_id: order.statusId,
    status: STATUSES[order.statusId],
    // Before discounts, which are in `discount_amount`.
    shipping_cost_ex_tax: sum(order.consignments, 'exTax'),
    handling_cost_ex_tax: sum(handling, 'exTax'),
    handling_cost_inc_tax: sum(handling, 'incTax'),
    wrapping_cost_inc_tax: text(0),
    total_inc_tax: text(order.total),
    total_tax: text(order.total - order.totalExTax),
    is_tax_inclusive_pricing: order.taxInclusive,
    items_total: lines.reduce((total, { quantity }) => total + quantity, 0),
    items_shipped: order.itemsShipped,
    payment_method: order.paymentMethod,
    payment_provider_id: null,
    payment_status: order.paymentStatus,
    // "Always returns 0."
    refunded_amount: text(0),
    store_credit_amount: text(order.storeCredit),
    gift_certificate_amount: text(order.giftCertificate),
    // The currency that the shop displays; the shopper pays in the other one.
    currency_code: 'USD',
    default_currency_code: currency,
    customer_message: order.note,
    discount_amount: text(order.discount),
    coupon_discount: text(0),
    billing_address: { ...address, email: order.email, form_fields: [] },
    products: link('products'),
    consignments: includes.some((one) => one.startsWith('consignments'))
      ? structure
        ? consignments
        : [consignments]
      : link('consignments'),
    fees: includes.includes('fees') ? order.fees.map((fee) => presentFee(order, fee)) : link('fees'),
  };
}

const presentFee = ({ currency }: Order, { id, exTax, incTax }: Order['fees'][number]) => ({
  id,
  type: 'custom_fee',
  cost_ex_tax: formatAmount(exTax, currency),
  cost_inc_tax: formatAmount(incTax, currency),
});

function presentConsignments(order: Order, withLines: boolean) {
  const items = (lines: readonly OrderLine[]) =>
    lines.map((line) =>
      withLines ? presentLine(order, line) : { resource: `/orders/${order.id}/products/${line.id}` },
    );
  return {
    pickups: [],
    shipping: order.consignments.map((one) => ({
      ...presentConsignment(order, one),
      line_items: items(one.lines),
    })),
    downloads:
      order.downloads.length > 0
        ? [{ recipient_email: order.email, line_items: items(order.downloads) }]
        : [],
    email: { gift_certificates: [] },
  };
}

const presentConsignment = (order: Order, one: Consignment) => ({
  ...addressOf(order),
  id: one.id,
  shipping_method: one.method,
  cost_ex_tax: toAmount(one.exTax, order.currency),
  cost_inc_tax: toAmount(one.incTax, order.currency),
  handling_cost_ex_tax: toAmount(one.handlingExTax, order.currency),
  handling_cost_inc_tax: toAmount(one.handlingIncTax, order.currency),
});

const presentLine = (order: Order, line: OrderLine) => ({
  id: line.id,
  order_id: order.id,
  name: line.name,
  sku: line.sku,
  type: order.downloads.includes(line) ? 'digital' : 'physical',
  price_inc_tax: formatAmount(Math.round(line.listed / line.quantity), order.currency),
  total_inc_tax: formatAmount(line.listed, order.currency),
  discounted_total_inc_tax: formatAmount(line.incTax, order.currency),
  quantity: line.quantity,
  quantity_refunded: refundedUnits(order, line.id),
  wrapping_cost_inc_tax: '0.0000',
});

export const refundedUnits = (order: Order, lineId: number): number =>
  order.refunds
    .filter(({ payments }) => payments.some((payment) => !hasFailed(order, payment)))
    .flatMap(({ items }) => items)
    .filter(({ item_type: type, item_id: id }) => type === 'PRODUCT' && id === lineId)
    .reduce((sum, { quantity = 0 }) => sum + quantity, 0);

function addressOf({ name }: Order) {
  const [first_name = '', last_name = ''] = name.split(' ');
  return {
    first_name,
    last_name,
    company: '',
    street_1: '1 Main St',
    street_2: '',
    city: 'Austin',
    state: 'Texas',
    zip: '78701',
    country: 'United States',
    country_iso2: 'US',
    phone: '',
    email: '',
  };
}

export const presentRefund = (refund: Refund, currency: string) => ({
  id: refund.id,
  order_id: refund.orderId,
  user_id: 0,
  created: refund.created.toISOString().replace(/\.\d+Z$/, '+00:00'),
  reason: refund.reason,
  total_amount: toAmount(refund.minor, currency),
  total_tax: toAmount(refund.taxMinor, currency),
  items: refund.items.map(({ asked, quantity, ...item }) => ({
    ...item,
    requested_amount: asked === null ? null : toAmount(asked, currency),
    ...(quantity !== undefined && { quantity }),
  })),
  payments: refund.payments.map(({ id, provider, minor, offline, declined, transactionId }) => ({
    id,
    provider_id: provider,
    amount: toAmount(minor, currency),
    offline,
    is_declined: declined !== null,
    declined_message: declined ?? '',
    ...(transactionId !== null && { transaction_id: String(transactionId) }),
  })),
});

/** One shipment of all items that were shipped, in the order of their lines. */
export function presentShipments(order: Order): readonly object[] {
  let left = order.itemsShipped;
  const items = linesOf(order).flatMap(({ id, quantity }) => {
    const shipped = Math.min(quantity, left);
    left -= shipped;
    return shipped > 0 ? [{ order_product_id: id, product_id: 0, quantity: shipped }] : [];
  });
  if (items.length === 0) return [];
  const tracking_number = `1Z${order.id}`;
  return [
    {
      id: order.id * 10,
      order_id: order.id,
      customer_id: order.customerId,
      date_created: order.modified.toUTCString().replace('GMT', '+0000'),
      tracking_number,
      shipping_method: order.consignments[0]?.method ?? '',
      comments: '',
      shipping_provider: 'ups',
      shipping_provider_display_name: 'UPS',
      tracking_carrier: 'ups',
      tracking_link: '',
      generated_tracking_link: `https://www.ups.com/track?tracknum=${tracking_number}`,
      items,
    },
  ];
}
