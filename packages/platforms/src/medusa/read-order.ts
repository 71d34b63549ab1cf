import {
  money,
  type Money,
  type PostalAddress,
  type FulfillmentStatus,
  type OrderShipment,
  type OrderStatus,
  type PaymentStatus,
  type RemoteOrder,
  type RemoteRefund,
} from '@switchboard/platform-kit';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import {
  parseExact,
  settledAmounts,
  sumExact,
  sumMoney,
  wholeUnitsOf,
} from '@switchboard/platform-kit/exact-amount';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { readTrackingUrl } from '@switchboard/platform-kit/tracking-url';
import { unanimous } from '@switchboard/platform-kit/unanimous';
import type { WireOrder, WireRefund } from './wire.js';

/** Medusa does not hold its money: a "refund" is only a record. */
const OFFLINE_PROVIDER = 'pp_system_default';

export function readOrder(wire: WireOrder, baseUrl: string): RemoteOrder {
  const currency = wire.currency_code;
  const amount = (text: string) => moneyOf(text, currency);
  const sum = (amounts: readonly Money[]) => sumMoney(amounts, currency);
  const payments = (wire.payment_collections ?? [])
    .flatMap((collection) => collection.payments ?? [])
    .map(({ id, provider_id: provider, captures, refunds }) => {
      const { captured, refunded, refundable } = settledAmounts(
        sumExact((captures ?? []).map((capture) => parseExact(capture.amount))),
        sumExact((refunds ?? []).map((refund) => parseExact(refund.amount))),
        currency,
      );
      const online = provider !== OFFLINE_PROVIDER;
      return {
        id,
        gateway: provider.replace(/^pp_/, ''),
        method: null,
        captured,
        refunded,
        // Refunds are requested with each payment: without the list, the refunded amount is unknown.
        refundable: refunds ? refundable : money(0, currency),
        refundableOnline: online,
        refunds: (refunds ?? []).map((refund) => readRefund(refund, currency, { id, moneyMoved: online })),
      };
    });
  const captured = sum(payments.map((payment) => payment.captured));
  const refunded = sum(payments.map((payment) => payment.refunded));
  const { customer, shipping_address: shippingAddress, billing_address: billing } = wire;
  return {
    externalId: wire.id,
    number: wire.display_id,
    status: STATUSES[wire.status] ?? 'open',
    paymentStatus:
      PAYMENT_STATUSES[wire.payment_status ?? ''] ??
      paymentStatusFrom(captured, refunded, wholeUnitsOf(parseExact(wire.original_total), currency)),
    fulfillmentStatus: FULFILLMENT_STATUSES[wire.fulfillment_status ?? ''] ?? 'unfulfilled',
    rawStatus: `${wire.status}/${wire.payment_status ?? ''}/${wire.fulfillment_status ?? ''}`,
    currency,
    pricesIncludeTax: unanimous((wire.items ?? []).map((line) => line.is_tax_inclusive ?? null)),
    totals: {
      discount: amount(wire.discount_total),
      shipping: amount(wire.original_shipping_total),
      tax: amount(wire.original_tax_total),
      total: amount(wire.original_total),
      captured,
      refunded,
      refundable: sum(payments.map(({ refundable }) => refundable)),
    },
    customer: {
      id: customer?.id ?? null,
      name: fullName(customer) ?? fullName(billing) ?? fullName(shippingAddress),
      email: wire.email ?? customer?.email ?? null,
    },
    emails: [...new Set([wire.email, customer?.email].filter((email) => typeof email === 'string'))],
    lines: (wire.items ?? []).map((line) => ({
      id: line.id,
      sku: line.variant_sku ?? null,
      title: line.title,
      quantity: line.quantity,
      refundableQuantity: Math.max(0, line.quantity - (line.detail?.return_received_quantity ?? 0)),
      unitPrice: amount(line.unit_price),
      total: amount(line.total),
    })),
    shippingLines: (wire.shipping_methods ?? []).map((method) => ({
      id: method.id,
      title: method.name,
      total: amount(method.total),
      refundable: amount(method.total),
    })),
    shippingAddress: shippingAddress ? readAddress(shippingAddress) : null,
    payments: payments.map(({ refunds: _refunds, ...payment }) => payment),
    refunds: payments.flatMap(({ refunds }) => refunds),
    shipments: wire.fulfillments?.map(readShipment) ?? null,
    note: null,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    url: `${baseUrl}/app/orders/${wire.id}`,
  };
}

/** Medusa does not name the carrier. Of a shipment of several parcels, the first label is reported. */
const readShipment = ({
  id,
  labels,
  items,
  ...times
}: NonNullable<WireOrder['fulfillments']>[number]): OrderShipment => ({
  id,
  status: times.canceled_at
    ? 'cancelled'
    : times.delivered_at
      ? 'delivered'
      : times.shipped_at
        ? 'shipped'
        : 'pending',
  carrier: null,
  trackingNumber: labels?.[0]?.tracking_number || null,
  trackingUrl: readTrackingUrl(labels?.[0]?.tracking_url),
  lineItems: (items ?? []).flatMap(({ line_item_id: line, quantity }) =>
    line ? { id: line, quantity } : [],
  ),
  createdAt: times.created_at,
});

/** A refund exists once it has been made: Medusa has no pending ones. */
export function readRefund(
  wire: WireRefund,
  currency: string,
  payment: { readonly id: string; readonly moneyMoved: boolean },
): RemoteRefund {
  const { reference, words } = parseReferenceMarker(wire.note);
  return {
    externalId: wire.id,
    status: 'succeeded',
    amount: moneyOf(wire.amount, currency),
    reference,
    reason: words,
    paymentId: wire.payment_id ?? payment.id,
    moneyMoved: payment.moneyMoved,
    createdAt: wire.created_at,
  };
}

const STATUSES: Readonly<Record<string, OrderStatus>> = {
  completed: 'completed',
  archived: 'completed',
  canceled: 'cancelled',
};

const PAYMENT_STATUSES: Readonly<Record<string, PaymentStatus>> = {
  not_paid: 'pending',
  awaiting: 'pending',
  requires_action: 'pending',
  authorized: 'authorized',
  partially_authorized: 'authorized',
  captured: 'paid',
  partially_captured: 'partially_paid',
  partially_refunded: 'partially_refunded',
  refunded: 'refunded',
  canceled: 'voided',
};

/** The status derived from the payments, if Medusa has none or an unknown one. */
function paymentStatusFrom(captured: Money, refunded: Money, total: Money): PaymentStatus {
  if (refunded.amountMinor > 0) {
    return refunded.amountMinor >= captured.amountMinor ? 'refunded' : 'partially_refunded';
  }
  if (captured.amountMinor <= 0) return 'pending';
  return captured.amountMinor >= total.amountMinor ? 'paid' : 'partially_paid';
}

const FULFILLMENT_STATUSES: Readonly<Record<string, FulfillmentStatus>> = {
  partially_fulfilled: 'partial',
  partially_shipped: 'partial',
  partially_delivered: 'partial',
  fulfilled: 'fulfilled',
  shipped: 'fulfilled',
  delivered: 'fulfilled',
};

type WireAddress = NonNullable<WireOrder['shipping_address']>;

function fullName(named: Pick<WireAddress, 'first_name' | 'last_name'> | null | undefined): string | null {
  return [named?.first_name, named?.last_name].filter(Boolean).join(' ') || null;
}

const readAddress = (wire: WireAddress): PostalAddress => ({
  name: fullName(wire),
  line1: wire.address_1 ?? null,
  line2: wire.address_2 ?? null,
  city: wire.city ?? null,
  region: wire.province ?? null,
  postalCode: wire.postal_code ?? null,
  country: wire.country_code?.toUpperCase() ?? null,
});
