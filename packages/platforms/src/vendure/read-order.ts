import {
  type Money,
  type FulfillmentStatus,
  type OrderShipment,
  type OrderStatus,
  type PaymentStatus,
  type RemoteOrder,
  type RemoteRefund,
} from '@switchboard/platform-kit';
import {
  parseExact,
  EXACT_DECIMALS,
  moneyOfExact,
  settledAmounts,
  sumExact,
  sumMoney,
  wholeUnitsOf,
  type ExactAmount,
} from '@switchboard/platform-kit/exact-amount';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import type { WireOrder, WireRefund } from './wire.js';

/** An amount of the server: 2599 with a precision of 2 is 25.99, in yen too. */
const exactOf = (parts: number, precision: number): ExactAmount =>
  parseExact((parts / 10 ** precision).toFixed(Math.max(precision, EXACT_DECIMALS)));

const amountOf = (parts: number, precision: number, currency: string): Money =>
  moneyOfExact(exactOf(parts, precision), currency);

/** Maps the store's order. */
export function readOrder(wire: WireOrder, precision: number, baseUrl: string): RemoteOrder {
  const currency = wire.currencyCode;
  const amount = (parts: number) => amountOf(parts, precision, currency);
  const sum = (amounts: readonly Money[]) => sumMoney(amounts, currency);
  const payments = (wire.payments ?? []).map((payment) => {
    const captured = exactOf(payment.state === 'Settled' ? payment.amount : 0, precision);
    // Pending refunds count as refunded, failed ones do not.
    const back = payment.refunds.filter(({ state }) => REFUND_STATUSES[state] !== 'failed');
    const refunded = sumExact(back.map(({ total }) => exactOf(total, precision)));
    return {
      ...payment,
      ...settledAmounts(captured, refunded, currency),
      // Also for a payment with an unknown state.
      refunded: wholeUnitsOf(refunded, currency),
      refunds: payment.refunds.map((refund) => readRefund(refund, precision, currency)),
    };
  });
  const captured = sum(payments.map((payment) => payment.captured));
  const refunded = sum(payments.map((payment) => payment.refunded));
  const { customer, shippingAddress: address } = wire;
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ') || null;
  return {
    externalId: wire.id,
    number: wire.code,
    status: STATUSES[wire.state] ?? 'open',
    paymentStatus: paymentStatus(wire, {
      total: wholeUnitsOf(exactOf(wire.totalWithTax, precision), currency),
      captured,
      refunded,
    }),
    fulfillmentStatus: FULFILLMENT_STATUSES[wire.state] ?? 'unfulfilled',
    rawStatus: wire.state,
    currency,
    // Only the channel states it, and its setting may have changed since.
    pricesIncludeTax: null,
    totals: {
      discount: amount(-wire.discounts.reduce((off, discount) => off + discount.amount, 0)),
      shipping: amount(wire.shipping),
      tax: amount(wire.totalWithTax - wire.total),
      total: amount(wire.totalWithTax),
      captured,
      refunded,
      refundable: sum(payments.map((payment) => payment.refundable)),
    },
    customer: { id: customer?.id ?? null, name, email: customer?.emailAddress ?? null },
    emails: customer?.emailAddress ? [customer.emailAddress] : [],
    lines: wire.lines.map((line) => ({
      id: line.id,
      sku: line.productVariant.sku,
      title: line.productVariant.name,
      quantity: line.orderPlacedQuantity,
      refundableQuantity: line.quantity,
      unitPrice: amount(line.unitPriceWithTax),
      total: amount(line.proratedLinePriceWithTax),
    })),
    shippingLines: wire.shippingLines.map((line) => ({
      id: line.id,
      title: line.shippingMethod.name,
      total: amount(line.discountedPriceWithTax),
      refundable: amount(line.discountedPriceWithTax),
    })),
    shippingAddress: address && {
      name: address.fullName ?? name,
      line1: address.streetLine1 ?? null,
      line2: address.streetLine2 ?? null,
      city: address.city ?? null,
      region: address.province ?? null,
      postalCode: address.postalCode ?? null,
      country: address.countryCode ?? null,
    },
    payments: payments.map((payment) => ({
      id: payment.id,
      gateway: payment.method,
      method: null,
      captured: payment.captured,
      refunded: payment.refunded,
      refundable: payment.refundable,
      refundableOnline: true,
    })),
    refunds: payments.flatMap(({ refunds }) => refunds),
    shipments: (wire.fulfillments ?? []).map(({ id, state, method, trackingCode, lines, createdAt }) => ({
      id,
      status: SHIPMENT_STATES[state] ?? 'pending',
      carrier: method || null,
      trackingNumber: trackingCode || null,
      trackingUrl: null,
      lineItems: lines.map(({ orderLineId, quantity }) => ({ id: orderLineId, quantity })),
      createdAt,
    })),
    note: null,
    createdAt: wire.orderPlacedAt,
    updatedAt: wire.updatedAt,
    url: `${baseUrl}/dashboard/orders/${wire.id}`,
  };
}

export function readRefund(wire: WireRefund, precision: number, currency: string): RemoteRefund {
  const { reference, words } = parseReferenceMarker(wire.reason);
  return {
    externalId: wire.id,
    status: REFUND_STATUSES[wire.state] ?? 'pending',
    amount: amountOf(wire.total, precision, currency),
    reference,
    reason: words,
    paymentId: wire.paymentId,
    moneyMoved: wire.state === 'Settled',
    createdAt: wire.createdAt,
  };
}

const REFUND_STATUSES: Readonly<Record<string, RemoteRefund['status']>> = {
  Settled: 'succeeded',
  Failed: 'failed',
};

const SHIPMENT_STATES: Readonly<Record<string, OrderShipment['status']>> = {
  Shipped: 'shipped',
  Delivered: 'delivered',
  Cancelled: 'cancelled',
};

const STATUSES: Readonly<Record<string, OrderStatus>> = { Delivered: 'completed', Cancelled: 'cancelled' };

const FULFILLMENT_STATUSES: Readonly<Record<string, FulfillmentStatus>> = {
  PartiallyShipped: 'partial',
  PartiallyDelivered: 'partial',
  Shipped: 'fulfilled',
  Delivered: 'fulfilled',
};

/** An order's own state stays `PaymentSettled` after refunds: the payments are more precise. */
function paymentStatus(
  { state, payments }: WireOrder,
  { total, captured, refunded }: Readonly<Record<'total' | 'captured' | 'refunded', Money>>,
): PaymentStatus {
  if (captured.amountMinor > 0) {
    if (refunded.amountMinor >= captured.amountMinor) return 'refunded';
    if (refunded.amountMinor > 0) return 'partially_refunded';
    return captured.amountMinor >= total.amountMinor ? 'paid' : 'partially_paid';
  }
  // A payment with an unknown state is not captured; its refunded amount counts.
  if (refunded.amountMinor > 0) {
    return refunded.amountMinor >= total.amountMinor ? 'refunded' : 'partially_refunded';
  }
  const states = (payments ?? []).map((payment) => payment.state);
  if (states.includes('Authorized')) return 'authorized';
  if (state === 'Cancelled' || states.includes('Cancelled')) return 'voided';
  return states.length > 0 && states.every((one) => one === 'Declined' || one === 'Error')
    ? 'failed'
    : 'pending';
}
