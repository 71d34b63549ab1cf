import {
  money,
  type Money,
  type OrderPayment,
  type OrderShipment,
  type RemoteOrder,
  type OrderShippingLine,
} from '@switchboard/platform-kit';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import {
  parseExact,
  sumExact as sumOfExact,
  sumMoney,
  wholeUnitsOf,
  type ExactAmount,
} from '@switchboard/platform-kit/exact-amount';
import { hasFailed, isPaidOffline, refundsOf } from './read-refund.js';
import { readTrackingUrl } from '@switchboard/platform-kit/tracking-url';
import { FULFILLMENT_STATUSES, paymentStatusOf, shipmentStatusOf } from './statuses.js';
import type {
  ShippedLines,
  WireLine,
  WireOrder,
  WireShipment,
  WireTransaction,
  WireShippingLine,
} from './wire.js';

/** Maps the store's order, in the customer's currency. */
export function readOrder(wire: WireOrder, baseUrl: string): RemoteOrder {
  const currency = wire.presentmentCurrencyCode;
  const amount = (text: string | null | undefined) => moneyOf(text ?? '0', currency);
  const payments = paymentsOf(wire.transactions, currency);
  const sum = (amounts: readonly Money[]) => sumMoney(amounts, currency);
  const captured = sum(payments.map((payment) => payment.captured));
  const refunded = wholeUnitsOf(amountOf(wire.transactions.filter(isRefundInProgress)), currency);
  const { customer, shippingAddress: address } = wire;
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ') || null;
  return {
    externalId: wire.id,
    number: wire.name,
    status: wire.cancelledAt ? 'cancelled' : wire.closed ? 'completed' : 'open',
    paymentStatus: paymentStatusOf(wire, {
      capturedMinor: captured.amountMinor,
      refundedMinor: refunded.amountMinor,
      totalMinor: wholeUnitsOf(parseExact(wire.totalPriceSet), currency).amountMinor,
    }),
    fulfillmentStatus:
      wire.returnStatus === 'RETURNED'
        ? 'returned'
        : (FULFILLMENT_STATUSES[wire.displayFulfillmentStatus] ?? 'unfulfilled'),
    rawStatus: rawStatus(wire),
    currency,
    pricesIncludeTax: wire.taxesIncluded,
    totals: {
      discount: amount(wire.totalDiscountsSet),
      shipping: sum(wire.shippingLines.nodes.map(({ discountedPriceSet }) => amount(discountedPriceSet))),
      tax: amount(wire.totalTaxSet),
      total: amount(wire.totalPriceSet),
      captured,
      refunded,
      refundable: money(
        // Limited by Shopify's own remainder too: it includes transactions beyond the returned list.
        Math.max(
          0,
          Math.min(
            sum(payments.map(({ refundable }) => refundable)).amountMinor,
            captured.amountMinor - refunded.amountMinor,
            wholeUnitsOf(parseExact(wire.netPaymentSet), currency).amountMinor,
          ),
        ),
        currency,
      ),
    },
    customer: {
      id: customer?.id ?? null,
      name: name ?? wire.billingAddress?.name ?? address?.name ?? null,
      email: wire.email ?? null,
    },
    emails: wire.email ? [wire.email] : [],
    lines: wire.lineItems.nodes.map((line) => ({
      id: line.id,
      sku: line.sku ?? null,
      title: line.title,
      quantity: line.quantity,
      refundableQuantity: line.refundableQuantity,
      unitPrice: amount(line.originalUnitPriceSet),
      total: readLineTotal(line, wire.taxesIncluded, currency),
    })),
    shippingLines: wire.shippingLines.nodes.map((line) =>
      readShippingLine(line, wire.taxesIncluded, currency),
    ),
    shippingAddress: address
      ? {
          name: address.name ?? null,
          line1: address.address1 ?? null,
          line2: address.address2 ?? null,
          city: address.city ?? null,
          region: address.province ?? null,
          postalCode: address.zip ?? null,
          country: address.countryCodeV2 ?? null,
        }
      : null,
    payments,
    refunds: refundsOf(wire.refunds, wire.transactions, currency),
    shipments: UNSHIPPED.includes(wire.displayFulfillmentStatus) ? [] : null,
    note: wire.note ?? null,
    createdAt: wire.createdAt,
    updatedAt: wire.updatedAt,
    url: `${baseUrl}/admin/orders/${wire.id}`,
  };
}

/** Nothing of the order has left. */
const UNSHIPPED: readonly string[] = ['UNFULFILLED', 'ON_HOLD', 'SCHEDULED'];

/** The first of several tracking numbers is reported. */
export function readShipment(
  { trackingInfo: [track], ...wire }: WireShipment,
  lines: ShippedLines['nodes'],
): OrderShipment {
  return {
    id: wire.id,
    status: shipmentStatusOf(wire),
    carrier: track?.company || null,
    trackingNumber: track?.number || null,
    trackingUrl: readTrackingUrl(track?.url),
    lineItems: lines.map(({ lineItem, quantity }) => ({ id: lineItem.id, quantity: quantity ?? 1 })),
    createdAt: wire.createdAt,
  };
}

const rawStatus = (wire: WireOrder): string =>
  [
    wire.displayFinancialStatus ?? 'NONE',
    wire.displayFulfillmentStatus,
    ...(wire.returnStatus === 'NO_RETURN' ? [] : [wire.returnStatus]),
    ...(wire.test ? ['TEST'] : []),
  ].join('/');

/** Pending refunds count as refunded. */
const isRefundInProgress = (one: WireTransaction): boolean => one.kind === 'REFUND' && !hasFailed(one);

const amountOf = (some: readonly WireTransaction[]): ExactAmount =>
  sumOfExact(some.map(({ amountSet }) => parseExact(amountSet)));

/**
 * Received money, and what of each payment was refunded; change from the till does not count.
 * `parentTransaction` may be null, or a transaction that was not returned: the refund may then be of any
 * payment of its gateway, and is subtracted from the remainder of each.
 */
function paymentsOf(transactions: readonly WireTransaction[], currency: string): readonly OrderPayment[] {
  const payments = transactions.filter(
    ({ kind, status }) => (kind === 'SALE' || kind === 'CAPTURE') && status === 'SUCCESS',
  );
  const candidatesOf = ({ parentTransaction: parent, gateway }: WireTransaction) => {
    const own = payments.filter(({ id }) => id === parent?.id);
    const similar = payments.filter((payment) => payment.gateway === gateway);
    return own.length > 0 ? own : similar.length > 0 ? similar : payments;
  };
  return payments.map((payment) => {
    const after = transactions.filter((one) => candidatesOf(one).includes(payment));
    const provided = after.filter(({ kind, status }) => kind === 'CHANGE' && status === 'SUCCESS');
    const back = after.filter(isRefundInProgress);
    const certain = (some: readonly WireTransaction[]) =>
      amountOf(some.filter((one) => candidatesOf(one).length === 1));
    // A fraction of the smallest unit cannot be refunded.
    return {
      id: payment.id,
      gateway: payment.gateway ?? 'unknown',
      method: null,
      captured: wholeUnitsOf(amountOf([payment]) - certain(provided), currency),
      refunded: wholeUnitsOf(certain(back), currency),
      refundable: wholeUnitsOf(amountOf([payment]) - amountOf(provided) - amountOf(back), currency),
      refundableOnline: !isPaidOffline(payment),
    };
  });
}

/** With all discounts and tax; `discountedTotalSet` is before discounts on the whole order. */
function readLineTotal(
  { originalTotalSet: original, discountAllocations, taxLines }: WireLine,
  taxesIncluded: boolean,
  currency: string,
): Money {
  const minor = (text: string) => moneyOf(text, currency).amountMinor;
  const discount = discountAllocations.reduce((sum, one) => sum + minor(one.allocatedAmountSet), 0);
  return money(minor(original) - discount + addedTaxMinor({ taxLines }, taxesIncluded, currency), currency);
}

/** The tax that the prices do not include. */
const addedTaxMinor = (
  { taxLines }: Pick<WireShippingLine, 'taxLines'>,
  taxesIncluded: boolean,
  currency: string,
): number =>
  taxesIncluded
    ? 0
    : taxLines.reduce((sum, { priceSet }) => sum + moneyOf(priceSet, currency).amountMinor, 0);

/**
 * The amount paid for it with its tax, as all refunded amounts are counted. The remaining tax is not
 * reported: its share is calculated.
 */
function readShippingLine(
  { id, title, discountedPriceSet, currentDiscountedPriceSet, taxLines }: WireShippingLine,
  taxesIncluded: boolean,
  currency: string,
): OrderShippingLine {
  const minor = (text: string) => moneyOf(text, currency).amountMinor;
  const [fee, left] = [minor(discountedPriceSet), minor(currentDiscountedPriceSet)];
  const tax = addedTaxMinor({ taxLines }, taxesIncluded, currency);
  const taxLeft = fee === 0 ? 0 : Math.round((tax * left) / fee);
  return {
    id: id ?? title,
    title,
    total: money(fee + tax, currency),
    refundable: money(left + taxLeft, currency),
  };
}
