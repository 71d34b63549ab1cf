import type { FulfillmentStatus, PaymentStatus, ShipmentStatus } from '@switchboard/platform-kit';
import type { WireOrder } from './wire.js';

/**
 * Shopify's own payment status of an order, which is for display and may be null: refundable amounts are
 * calculated.
 */
export const FINANCIAL_STATUSES: Readonly<Record<string, PaymentStatus>> = {
  AUTHORIZED: 'authorized',
  EXPIRED: 'failed',
  PAID: 'paid',
  PARTIALLY_PAID: 'partially_paid',
  PARTIALLY_REFUNDED: 'partially_refunded',
  PENDING: 'pending',
  REFUNDED: 'refunded',
  VOIDED: 'voided',
};

/** If Shopify has no status, or an unknown one, it is derived from the transactions. */
export function paymentStatusOf(
  order: Pick<WireOrder, 'displayFinancialStatus' | 'transactions'>,
  money: { readonly capturedMinor: number; readonly refundedMinor: number; readonly totalMinor: number },
): PaymentStatus {
  const { capturedMinor, refundedMinor, totalMinor } = money;
  const stated = FINANCIAL_STATUSES[order.displayFinancialStatus ?? ''];
  if (stated) return stated;
  if (capturedMinor > 0) {
    if (refundedMinor >= capturedMinor) return 'refunded';
    if (refundedMinor > 0) return 'partially_refunded';
    return capturedMinor < totalMinor ? 'partially_paid' : 'paid';
  }
  if (refundedMinor > 0) return 'refunded';
  const has = (kind: string) =>
    order.transactions.some((one) => one.kind === kind && one.status === 'SUCCESS');
  if (has('VOID')) return 'voided';
  return has('AUTHORIZATION') ? 'authorized' : 'pending';
}

export const FULFILLMENT_STATUSES: Readonly<Record<string, FulfillmentStatus>> = {
  FULFILLED: 'fulfilled',
  // There is nothing to ship.
  FULFILLMENT_NOT_REQUIRED: 'fulfilled',
  PARTIALLY_FULFILLED: 'partial',
};

/**
 * Shopify's status of a fulfillment, and the carrier's where it is known
 * (https://shopify.dev/docs/api/admin-graphql/latest/enums/FulfillmentDisplayStatus).
 */
export const shipmentStatusOf = ({
  status,
  displayStatus,
}: {
  readonly status: string;
  readonly displayStatus?: string | null | undefined;
}): ShipmentStatus => SHIPMENT_STATUSES[status] ?? SHIPMENT_STATUSES[displayStatus ?? ''] ?? 'shipped';

const SHIPMENT_STATUSES: Readonly<Record<string, ShipmentStatus>> = {
  // Of the fulfillment.
  CANCELLED: 'cancelled',
  ERROR: 'failed',
  FAILURE: 'failed',
  // Of its display; `SUCCESS` of the fulfillment does not state how far the carrier is.
  CANCELED: 'cancelled',
  CONFIRMED: 'pending',
  DELIVERED: 'delivered',
  LABEL_PRINTED: 'pending',
  LABEL_PURCHASED: 'pending',
  LABEL_VOIDED: 'pending',
  NOT_DELIVERED: 'failed',
  PICKED_UP: 'delivered',
  READY_FOR_PICKUP: 'pending',
  SUBMITTED: 'pending',
};
