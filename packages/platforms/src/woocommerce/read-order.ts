import type {
  PostalAddress,
  OrderShipment,
  OrderStatus,
  PaymentStatus,
  RemoteOrder,
  RemoteRefund,
} from '@switchboard/platform-kit';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import {
  parseExact,
  moneyOfExact,
  roundTogether,
  settledAmounts,
  sumExact,
  wholeUnitsOf,
} from '@switchboard/platform-kit/exact-amount';
import { readTrackingUrl } from '@switchboard/platform-kit/tracking-url';
import {
  trackingItems,
  TRACKING_KEY,
  type WireItem,
  type WireLine,
  type WireOrder,
  type WireRefund,
} from './wire.js';

/** Maps the store's order. Its refunds are those that the store lists, from every client. */
export function readOrder(
  wire: WireOrder,
  created: readonly WireRefund[],
  online: ReadonlySet<string>,
  baseUrl: string,
): RemoteOrder {
  const { currency } = wire;
  const amount = (text: string) => moneyOf(text, currency);
  const total = amount(wire.total);
  const refunds = created.map((refund) => readRefund(refund, currency, wire.id));
  // A refund does not prove a payment: the store refunds what was never paid.
  const capturedExact = wire.date_paid_gmt ? parseExact(wire.total) : 0n;
  const refundedExact = sumExact(created.map((refund) => parseExact(refund.amount)));
  const settled = settledAmounts(capturedExact, refundedExact, currency);
  const { captured, refundable } = settled;
  const refunded = wire.date_paid_gmt ? settled.refunded : moneyOfExact(refundedExact, currency);
  // Items have more decimals than the total: rounded one by one, they would differ from it.
  const items: readonly WireItem[] = [...wire.shipping_lines, ...wire.line_items];
  const rounded = roundTogether(items.map(withTax), currency);
  const totalOf = (item: WireItem) => rounded[items.indexOf(item)] ?? amount('0');
  const [tax, shipping, discount] = [wire.total_tax, wire.shipping_total, wire.discount_total];
  return {
    externalId: wire.id,
    number: wire.number,
    status: STATUSES[wire.status] ?? 'open',
    paymentStatus: paymentStatusOf(wire, refundedExact, currency),
    fulfillmentStatus: wire.status === 'completed' || wire.date_completed_gmt ? 'fulfilled' : 'unfulfilled',
    rawStatus: wire.status,
    currency,
    pricesIncludeTax: wire.prices_include_tax ?? null,
    totals: {
      discount: amount(discount),
      shipping: amount(shipping),
      tax: amount(tax),
      total,
      captured,
      refunded,
      refundable,
    },
    customer: {
      id: wire.customer_id === 0 ? null : String(wire.customer_id),
      name: fullName(wire.billing) ?? fullName(wire.shipping),
      email: wire.billing.email || null,
    },
    emails: wire.billing.email ? [wire.billing.email] : [],
    lines: wire.line_items.map((line) => {
      const quantity = unitsOf(line);
      return {
        id: line.id,
        sku: line.sku || null,
        title: line.name,
        quantity,
        refundableQuantity: Math.max(0, quantity - Math.ceil(refundedUnits(created, line))),
        unitPrice: moneyOfExact(quantity > 0 ? withTax(line) / BigInt(quantity) : 0n, currency),
        total: totalOf(line),
      };
    }),
    shippingLines: wire.shipping_lines.map((line) => {
      const remaining = withTax(line) - refundedShipping(created, line.id);
      return {
        id: line.id,
        title: line.method_title || 'Shipping',
        total: totalOf(line),
        refundable: moneyOfExact(remaining > 0n ? remaining : 0n, currency),
      };
    }),
    shippingAddress: wire.shipping ? readAddress(wire.shipping) : null,
    payments: [
      {
        id: paymentIdOf(wire.id),
        gateway: wire.payment_method,
        method: wire.payment_method_title || null,
        captured,
        refunded,
        refundable,
        refundableOnline: online.has(wire.payment_method),
      },
    ],
    refunds,
    shipments: shipmentsOf(wire),
    note: wire.customer_note || null,
    createdAt: wire.date_created_gmt,
    updatedAt: wire.date_modified_gmt,
    url: `${baseUrl}/wp-admin/post.php?post=${wire.id}&action=edit`,
  };
}

/** Null where no extension keeps any: nothing is known about shipments then. */
function shipmentsOf({ meta_data: metadata }: WireOrder): readonly OrderShipment[] | null {
  const kept = metadata?.find(({ key }) => key === TRACKING_KEY);
  const items = trackingItems.safeParse(kept?.value).data;
  return (
    items?.map((item, at) => ({
      id: item.tracking_id || String(at + 1),
      status: 'shipped' as const,
      carrier: item.custom_tracking_provider || item.tracking_provider || null,
      trackingNumber: item.tracking_number || null,
      trackingUrl: readTrackingUrl(item.custom_tracking_link),
      lineItems: (item.products_list ?? []).map(({ item_id: id, qty: quantity }) => ({ id, quantity })),
      createdAt: item.date_shipped ? new Date(item.date_shipped * 1000) : null,
    })) ?? null
  );
}

/** An order is paid once, by one gateway. */
const paymentIdOf = (orderId: string): string => `order_${orderId}`;

export function readRefund(wire: WireRefund, currency: string, orderId: string): RemoteRefund {
  const { reference, words } = parseReferenceMarker(wire.reason);
  return {
    externalId: wire.id,
    status: 'succeeded',
    amount: moneyOf(wire.amount, currency),
    reference,
    reason: words,
    paymentId: paymentIdOf(orderId),
    moneyMoved: wire.refunded_payment === true,
    createdAt: wire.date_created_gmt,
  };
}

/** A custom status maps to open and is reported unchanged. */
const STATUSES: Readonly<Record<string, OrderStatus>> = {
  completed: 'completed',
  refunded: 'completed',
  cancelled: 'cancelled',
  trash: 'cancelled',
};

function paymentStatusOf(wire: WireOrder, refunded: bigint, currency: string): PaymentStatus {
  const remaining = wholeUnitsOf(parseExact(wire.total) - refunded, currency).amountMinor;
  if (refunded > 0n) return remaining > 0 ? 'partially_refunded' : 'refunded';
  if (wire.date_paid_gmt) return 'paid';
  if (wire.status === 'refunded') return 'refunded';
  if (wire.status === 'failed') return 'failed';
  return wire.status === 'cancelled' ? 'voided' : 'pending';
}

const withTax = ({ total, total_tax: tax }: WireItem): bigint => parseExact(total) + parseExact(tax);

type RefundedItem = NonNullable<WireRefund['line_items']>[number];

/** A refund's items reference the order's in their metadata, and have negative quantities. */
const refersTo = (itemId: string) => (item: RefundedItem) =>
  (item.meta_data ?? []).some(({ key, value }) => key === '_refunded_item_id' && String(value) === itemId);

/** Goods sold by weight or length, such as half a meter, are a line of one: all or nothing. */
export const isWhole = ({ quantity }: Pick<WireLine, 'quantity'>): boolean => Number.isSafeInteger(quantity);

const unitsOf = (line: WireLine): number => (isWhole(line) ? line.quantity : 1);

function refundedUnits(created: readonly WireRefund[], line: WireLine): number {
  const items = created.flatMap((refund) => (refund.line_items ?? []).filter(refersTo(line.id)));
  if (!isWhole(line)) return items.length > 0 ? 1 : 0;
  // A refund without a quantity leaves none.
  return items.reduce((sum, { quantity }) => sum + Math.abs(quantity ?? line.quantity), 0);
}

const refundedShipping = (created: readonly WireRefund[], lineId: string): bigint =>
  sumExact(
    created
      .flatMap((refund) => (refund.shipping_lines ?? []).filter(refersTo(lineId)))
      .map(({ total, total_tax: tax }) => -parseExact(total) - parseExact(tax ?? '0')),
  );

type WireAddress = WireOrder['billing'];

function fullName(named: WireAddress | null | undefined): string | null {
  return [named?.first_name, named?.last_name].filter(Boolean).join(' ') || named?.company || null;
}

/** If nothing is shipped all fields are empty. */
function readAddress(wire: WireAddress): PostalAddress | null {
  const read = {
    name: fullName(wire),
    line1: wire.address_1 || null,
    line2: wire.address_2 || null,
    city: wire.city || null,
    region: wire.state || null,
    postalCode: wire.postcode || null,
    country: wire.country || null,
  };
  return Object.values(read).some((value) => value !== null) ? read : null;
}
