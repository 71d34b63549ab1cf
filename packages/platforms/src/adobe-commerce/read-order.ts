import type {
  PostalAddress,
  FulfillmentStatus,
  OrderLine,
  OrderPayment,
  OrderShipment,
  OrderShippingLine,
  OrderStatus,
  PaymentStatus,
  RemoteOrder,
  RemoteRefund,
} from '@switchboard/platform-kit';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { countedItems, hasUnits, remainingQuantity } from './counted-items.js';
import { memosOn, type OrderDocuments } from './documents.js';
import {
  minOf,
  moneyOfExact,
  sumExact,
  wholeUnitsOf,
  type ExactAmount,
} from '@switchboard/platform-kit/exact-amount';
import { maxOf, wholeOf } from './exact.js';
import { OFFLINE, sourcesOf } from './payment-sources.js';
import { hasUnreportedTotals } from './unreported-totals.js';
import {
  MEMO_CANCELED,
  MEMO_REFUNDED,
  type WireInvoice,
  type WireItem,
  type WireMemo,
  type WireOrder,
  type WireShipment,
} from './wire.js';

/** Maps the store's order, in the base currency: the one the store is paid and refunds in. */
export function readOrder(documents: OrderDocuments): RemoteOrder {
  const { order, memos } = documents;
  const currency = order.base_currency_code;
  const amount = (exact: ExactAmount) => moneyOfExact(exact, currency);
  // The order may omit its refunded total; it is then the sum of its credit memos. The remainder is derived
  // in the same way.
  const active = memos.filter(({ state }) => state !== MEMO_CANCELED);
  const totalOf = (some: readonly WireMemo[]) => sumExact(some.map((memo) => memo.base_grand_total));
  const done = active.filter(({ state }) => state === MEMO_REFUNDED);
  const refunded = maxOf(order.base_total_refunded, totalOf(done));
  const remaining = positive(order.base_total_paid - maxOf(order.base_total_refunded, totalOf(active)));
  const { billing_address: billing, customer_email: email } = order;
  const shipping = order.extension_attributes?.shipping_assignments?.[0]?.shipping?.address;
  const emails = [email, billing?.email].filter((one) => typeof one === 'string' && one !== '');
  return {
    externalId: order.entity_id,
    number: order.increment_id,
    status: STATUSES[order.state ?? ''] ?? 'open',
    paymentStatus: paymentStatus(order, refunded),
    fulfillmentStatus: fulfillmentStatus(order),
    rawStatus: `${order.state ?? ''}/${order.status ?? ''}`,
    currency,
    // The order has each price with and without tax, and not which of the two the store entered.
    pricesIncludeTax: null,
    totals: {
      discount: amount(absolute(order.base_discount_amount)),
      shipping: amount(order.base_shipping_amount),
      tax: amount(order.base_tax_amount),
      total: amount(order.base_grand_total),
      // A fraction of the smallest unit cannot be refunded.
      captured: wholeUnitsOf(order.base_total_paid, currency),
      refunded: wholeUnitsOf(refunded, currency),
      refundable: wholeUnitsOf(remaining, currency),
    },
    customer: {
      id: order.customer_id ?? null,
      name:
        fullName({ firstname: order.customer_firstname, lastname: order.customer_lastname }) ??
        fullName(billing),
      email: email ?? billing?.email ?? null,
    },
    emails: [...new Set(emails as string[])],
    lines: countedItems(order.items).map((item) => readLine(item, currency)),
    shippingLines: readShipping(order),
    shippingAddress: shipping ? readAddress(shipping) : null,
    payments: readPayments(documents, remaining),
    refunds: memos.map((memo) => readMemo(memo, currency)),
    shipments: documents.shipments?.map((shipment) => readShipment(shipment, order)) ?? null,
    note: order.customer_note ?? null,
    createdAt: order.created_at,
    updatedAt: order.updated_at,
    url: null,
  };
}

/** A credit memo. Only one with a transaction sent money: any other was only recorded. */
export function readMemo(memo: WireMemo, currency: string, paymentId: string = OFFLINE): RemoteRefund {
  const marks = (memo.comments ?? []).map(({ comment }) => parseReferenceMarker(comment));
  const mark = marks.find(({ reference }) => reference !== null) ?? marks[0];
  return {
    externalId: memo.entity_id,
    // A missing or unknown state proves nothing.
    status: memo.state === MEMO_REFUNDED ? 'succeeded' : memo.state === MEMO_CANCELED ? 'failed' : 'pending',
    amount: moneyOfExact(memo.base_grand_total, memo.base_currency_code ?? currency),
    reference: mark?.reference ?? null,
    reason: mark?.words ?? null,
    paymentId: memo.invoice_id ?? paymentId,
    moneyMoved: typeof memo.transaction_id === 'string' && memo.transaction_id !== '',
    createdAt: memo.created_at,
  };
}

/**
 * The remainder of the order limits the remainder of its invoices, regardless of the document for which a
 * credit memo was created.
 */
function readPayments({ order, invoices, memos }: OrderDocuments, orderLeft: ExactAmount): OrderPayment[] {
  const currency = order.base_currency_code;
  const method = order.payment?.additional_information?.[0];
  const { online, offlinePaid } = sourcesOf({ order, invoices });
  let limit = orderLeft;
  const payment = (id: string, captured: ExactAmount, refunded: ExactAmount): OrderPayment => {
    const remaining = minOf(positive(captured - refunded), limit);
    limit -= remaining;
    return {
      id,
      gateway: order.payment?.method ?? 'unknown',
      method: typeof method === 'string' ? method : null,
      captured: wholeUnitsOf(captured, currency),
      refunded: wholeUnitsOf(refunded, currency),
      refundable: wholeUnitsOf(remaining, currency),
      refundableOnline: id !== OFFLINE && !hasUnreportedTotals(order),
    };
  };
  const paid = online.map((invoice) =>
    payment(invoice.entity_id, invoice.base_grand_total, refundedOf(invoice, memos)),
  );
  if (offlinePaid <= 0n) return paid;
  const refundedOnline = sumExact(online.map((invoice) => refundedOf(invoice, memos)));
  const rest = minOf(positive(order.base_total_refunded - refundedOnline), offlinePaid);
  return [...paid, payment(OFFLINE, offlinePaid, rest)];
}

/** An online refund is reported only by its credit memo, a recorded one by the invoice too. */
function refundedOf(invoice: WireInvoice, memos: readonly WireMemo[]): ExactAmount {
  const reported = sumExact(memosOn(memos, invoice.entity_id).map((memo) => memo.base_grand_total));
  return maxOf(reported, invoice.base_total_refunded);
}

function readLine(item: WireItem, currency: string): OrderLine {
  const total =
    item.base_row_total -
    item.base_discount_amount +
    item.base_tax_amount +
    item.base_discount_tax_compensation_amount;
  const inUnits = hasUnits(item);
  const price = item.base_price_incl_tax > 0n ? item.base_price_incl_tax : item.base_price;
  return {
    id: item.item_id,
    sku: item.sku ?? null,
    title: item.name ?? item.sku ?? '',
    quantity: inUnits ? wholeOf(item.qty_ordered) : 1,
    refundableQuantity: inUnits ? wholeOf(remainingQuantity(item)) : 0,
    unitPrice: moneyOfExact(inUnits ? price : total, currency),
    total: moneyOfExact(total, currency),
  };
}

/** A shipment exists once goods have left. The first of several tracking numbers is reported. */
function readShipment(
  { entity_id: id, tracks, items, created_at }: WireShipment,
  order: WireOrder,
): OrderShipment {
  const [track] = tracks ?? [];
  const counted = new Map(countedItems(order.items).map((item) => [item.item_id, item]));
  return {
    id,
    status: 'shipped',
    carrier: track?.title || track?.carrier_code || null,
    trackingNumber: track?.track_number || null,
    trackingUrl: null,
    lineItems: items.flatMap(({ order_item_id: line, qty }) => {
      const item = counted.get(line);
      return item ? [{ id: line, quantity: hasUnits(item) ? wholeOf(qty) : 1 }] : [];
    }),
    createdAt: created_at,
  };
}

function readShipping(order: WireOrder): OrderShippingLine[] {
  const currency = order.base_currency_code;
  const { base_shipping_amount: amount, base_shipping_discount_amount: discount } = order;
  if (amount <= 0n) return [];
  const remaining = positive(amount - order.base_shipping_refunded);
  const taxLeft = positive(order.base_shipping_tax_amount - order.base_shipping_tax_refunded);
  return [
    {
      id: 'shipping',
      title: order.shipping_description ?? 'Shipping',
      total: moneyOfExact(positive(amount + order.base_shipping_tax_amount - discount), currency),
      refundable: moneyOfExact(positive(remaining + taxLeft - (discount * remaining) / amount), currency),
    },
  ];
}

/** States are Magento's own; statuses are customizable per shop. */
export const STATUSES: Readonly<Record<string, OrderStatus>> = {
  complete: 'completed',
  closed: 'completed',
  canceled: 'cancelled',
};

function paymentStatus(order: WireOrder, refunded: ExactAmount): PaymentStatus {
  const { base_total_paid: paid, base_grand_total: total } = order;
  if (refunded > 0n) return refunded >= paid ? 'refunded' : 'partially_refunded';
  if (paid > 0n) return paid >= total ? 'paid' : 'partially_paid';
  if (order.state === 'canceled') return 'voided';
  if (total === 0n) return 'paid';
  return (order.payment?.base_amount_authorized ?? 0n) > 0n ? 'authorized' : 'pending';
}

function fulfillmentStatus({ items, state }: WireOrder): FulfillmentStatus {
  const goods = items.filter(({ is_virtual: virtual, parent_item_id: parent }) => virtual !== 1 && !parent);
  // For goods without shipment, only the order's completion shows that they were delivered.
  if (goods.length === 0) return state === 'complete' || state === 'closed' ? 'fulfilled' : 'unfulfilled';
  const shipped = sumExact(goods.map(({ qty_shipped: qty }) => qty));
  if (shipped === 0n) return 'unfulfilled';
  const open = goods.some(
    (item) => item.qty_shipped < item.qty_ordered - item.qty_canceled - item.qty_refunded,
  );
  return open ? 'partial' : 'fulfilled';
}

const positive = (exact: ExactAmount): ExactAmount => (exact > 0n ? exact : 0n);
const absolute = (exact: ExactAmount): ExactAmount => (exact < 0n ? -exact : exact);

type WireAddress = NonNullable<WireOrder['billing_address']>;

const fullName = (named: Pick<WireAddress, 'firstname' | 'lastname'> | null | undefined): string | null =>
  [named?.firstname, named?.lastname].filter(Boolean).join(' ') || null;

const readAddress = (wire: WireAddress): PostalAddress => ({
  name: fullName(wire),
  line1: wire.street?.[0] ?? null,
  line2: wire.street?.slice(1).join(', ') || null,
  city: wire.city ?? null,
  region: wire.region ?? null,
  postalCode: wire.postcode ?? null,
  country: wire.country_id?.toUpperCase() ?? null,
});
