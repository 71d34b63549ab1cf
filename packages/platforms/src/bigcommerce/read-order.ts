import {
  type Money,
  type PostalAddress,
  type OrderLine,
  type OrderShipment,
  type OrderShippingLine,
  type RemoteOrder,
} from '@switchboard/platform-kit';
import { sumMoney } from '@switchboard/platform-kit/exact-amount';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { readTrackingUrl } from '@switchboard/platform-kit/tracking-url';
import { readPayments, readRefund, countsAsRefunded } from './read-payments.js';
import { fulfillmentStatusOf, orderStatusOf, paymentStatusOf } from './statuses.js';
import { remainingShipping } from './remaining-costs.js';
import type { StoredOrder } from './stored-order.js';
import type { WireLine, WireOrder, WireShipment } from './wire.js';

export function readOrder({ order, refunds }: StoredOrder, baseUrl: string): RemoteOrder {
  const currency = order.default_currency_code;
  const amount = (text: string) => moneyOf(text, currency);
  const sum = (...amounts: readonly Money[]) => sumMoney(amounts, currency);
  const payments = readPayments(order, refunds);
  const captured = sum(...payments.map((payment) => payment.captured));
  const refunded = sum(...payments.map((payment) => payment.refunded));
  const { billing_address: billing } = order;
  const email = billing.email ? billing.email : null;
  const [shipping] = order.consignments.shipping ?? [];
  return {
    externalId: order.id,
    number: order.id,
    status: orderStatusOf(order),
    paymentStatus: paymentStatusOf(order, captured.amountMinor, refunded.amountMinor),
    fulfillmentStatus: fulfillmentStatusOf(order),
    rawStatus: `${order.status}/${order.payment_status ?? ''}`,
    currency,
    pricesIncludeTax: order.is_tax_inclusive_pricing ?? null,
    totals: {
      discount: sum(amount(order.discount_amount), amount(order.coupon_discount)),
      shipping: sum(amount(order.shipping_cost_ex_tax), amount(order.handling_cost_ex_tax ?? '0')),
      tax: amount(order.total_tax),
      total: amount(order.total_inc_tax),
      captured,
      refunded,
      refundable: sum(...payments.map((payment) => payment.refundable)),
    },
    customer: {
      id: order.customer_id === 0 ? null : String(order.customer_id),
      name: fullName(billing),
      email,
    },
    emails: email === null ? [] : [email],
    lines: linesOf(order).map((line) => readLine(line, { order, refunds })),
    shippingLines: remainingShipping({ order, refunds }).map(
      ({ id, title, total, left }): OrderShippingLine => ({
        id,
        title,
        total,
        refundable: left,
      }),
    ),
    shippingAddress: shipping ? readAddress(shipping) : null,
    payments,
    refunds: refunds.map((refund) => readRefund(refund, currency)),
    shipments: order.items_shipped === 0 ? [] : null,
    note: order.customer_message ? order.customer_message : null,
    createdAt: order.date_created,
    updatedAt: order.date_modified,
    url: controlPanelUrl(baseUrl, order.id),
  };
}

/** The lines of everything that is shipped, picked up, downloaded or mailed, in the order of insertion. */
export const linesOf = ({ consignments }: WireOrder): readonly WireLine[] =>
  [
    ...(consignments.shipping ?? []),
    ...(consignments.pickups ?? []),
    ...(consignments.downloads ?? []),
    ...(consignments.email?.gift_certificates ?? []),
  ]
    .flatMap(({ line_items: lines }) => lines)
    .sort((one, other) => Number(one.id) - Number(other.id));

function readLine(line: WireLine, { order, refunds }: StoredOrder): OrderLine {
  const amount = (text: string) => moneyOf(text, order.default_currency_code);
  const refunded = refunds
    .filter(countsAsRefunded)
    .flatMap(({ items }) => items ?? [])
    .filter(({ item_type: type, item_id: id }) => type === 'PRODUCT' && id === line.id)
    // If neither API reports how many units a refund took, none is refundable.
    .reduce((units, { quantity }) => units + (quantity ?? line.quantity_refunded ?? line.quantity), 0);
  return {
    id: line.id,
    sku: line.sku ? line.sku : null,
    title: line.name,
    quantity: line.quantity,
    // The lower remainder of the two APIs.
    refundableQuantity: Math.max(0, line.quantity - Math.max(refunded, line.quantity_refunded ?? 0)),
    unitPrice: amount(line.price_inc_tax),
    total: amount(line.discounted_total_inc_tax ?? line.total_inc_tax),
  };
}

/** A shipment exists once goods have left: BigCommerce does not report their delivery. */
export const readShipment = (wire: WireShipment): OrderShipment => ({
  id: wire.id,
  status: 'shipped',
  carrier: wire.shipping_provider_display_name || wire.tracking_carrier || wire.shipping_provider || null,
  trackingNumber: wire.tracking_number || null,
  trackingUrl: readTrackingUrl(wire.tracking_link || wire.generated_tracking_link),
  lineItems: (wire.items ?? []).map(({ order_product_id: id, quantity }) => ({ id, quantity })),
  createdAt: wire.date_created,
});

/** The store's own pages have its hash in their host name. */
function controlPanelUrl(baseUrl: string, orderId: string): string {
  const hash = baseUrl.split('/').at(-1) ?? '';
  return `https://store-${hash}.mybigcommerce.com/manage/orders/${orderId}`;
}

type WireAddress = Omit<WireOrder['billing_address'], 'email'>;

const fullName = ({ first_name: first, last_name: last }: WireAddress): string | null =>
  [first, last].filter(Boolean).join(' ') || null;

const readAddress = (wire: WireAddress): PostalAddress => ({
  name: fullName(wire),
  line1: wire.street_1 || null,
  line2: wire.street_2 || null,
  city: wire.city || null,
  region: wire.state || null,
  postalCode: wire.zip || null,
  country: wire.country_iso2?.toUpperCase() || null,
});
