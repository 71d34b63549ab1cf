import type { FulfillmentStatus, OrderStatus, PaymentStatus } from '@switchboard/platform-kit';
import type { WireOrder } from './wire.js';

/** The fifteen statuses by number: merchants can change their names. */
const STATUS = {
  incomplete: 0,
  pending: 1,
  shipped: 2,
  partiallyShipped: 3,
  refunded: 4,
  cancelled: 5,
  declined: 6,
  awaitingPayment: 7,
  awaitingPickup: 8,
  awaitingShipment: 9,
  completed: 10,
  awaitingFulfillment: 11,
  verification: 12,
  disputed: 13,
  partiallyRefunded: 14,
} as const;

const COMPLETED: readonly number[] = [STATUS.shipped, STATUS.refunded, STATUS.completed];
const CANCELLED: readonly number[] = [STATUS.cancelled, STATUS.declined];

/** For a payment without a provider, only the order's status shows whether the merchant has it. */
const RECEIVED: readonly number[] = [
  STATUS.shipped,
  STATUS.partiallyShipped,
  STATUS.refunded,
  STATUS.awaitingPickup,
  STATUS.awaitingShipment,
  STATUS.completed,
  STATUS.awaitingFulfillment,
  STATUS.disputed,
  STATUS.partiallyRefunded,
];

const CAPTURED: readonly string[] = ['captured', 'paid', 'partially refunded', 'refunded'];

type OrderPaymentFields = Pick<WireOrder, 'status_id' | 'payment_status' | 'payment_provider_id'>;

/**
 * Cash on delivery, bank deposit, a manual order: such orders have an empty payment status and no provider
 * (NOTES.md). A missing status with a provider is unknown, which is not captured.
 */
export const isPaidOffline = ({
  payment_status: status,
  payment_provider_id: provider,
}: OrderPaymentFields): boolean => status === '' || ((status ?? null) === null && !provider);

/** Whether the part not paid with credit was received. */
export const isCaptured = (order: OrderPaymentFields): boolean =>
  isPaidOffline(order) ? RECEIVED.includes(order.status_id) : CAPTURED.includes(order.payment_status ?? '');

/** Credit is charged when the order is placed. */
export const isPlaced = ({ status_id: status }: OrderPaymentFields): boolean =>
  status !== STATUS.incomplete && status !== STATUS.declined;

export const isMarkedRefunded = ({
  status_id: status,
  payment_status: payment,
}: OrderPaymentFields): boolean => status === STATUS.refunded || payment === 'refunded';

export function orderStatusOf({ status_id: status, items_shipped, items_total }: WireOrder): OrderStatus {
  if (CANCELLED.includes(status)) return 'cancelled';
  if (COMPLETED.includes(status)) return 'completed';
  const all = items_total > 0 && items_shipped >= items_total;
  return status === STATUS.partiallyRefunded && all ? 'completed' : 'open';
}

export function fulfillmentStatusOf({
  status_id: status,
  items_shipped,
  items_total,
}: WireOrder): FulfillmentStatus {
  if (status === STATUS.shipped || status === STATUS.completed) return 'fulfilled';
  if (status === STATUS.partiallyShipped) return 'partial';
  if (items_shipped <= 0) return 'unfulfilled';
  return items_shipped >= items_total ? 'fulfilled' : 'partial';
}

const UNPAID: Readonly<Record<string, PaymentStatus>> = {
  authorized: 'authorized',
  'capture pending': 'authorized',
  'void pending': 'authorized',
  declined: 'failed',
  void: 'voided',
};

/** The amounts are more precise than the status; the statuses are used if there are no amounts. */
export function paymentStatusOf(
  order: OrderPaymentFields,
  capturedMinor: number,
  refundedMinor: number,
): PaymentStatus {
  if (capturedMinor > 0) {
    if (refundedMinor >= capturedMinor) return 'refunded';
    const some = refundedMinor > 0 || order.status_id === STATUS.partiallyRefunded;
    if (some || order.payment_status === 'partially refunded') return 'partially_refunded';
    return isCaptured(order) ? 'paid' : 'partially_paid';
  }
  if (isCaptured(order)) return 'paid';
  // The payment status is unknown; the order's own still shows that money was refunded.
  if (order.status_id === STATUS.refunded) return 'refunded';
  if (order.status_id === STATUS.partiallyRefunded) return 'partially_refunded';
  const reported = UNPAID[order.payment_status ?? ''];
  if (reported) return reported;
  if (order.status_id === STATUS.declined) return 'failed';
  return order.status_id === STATUS.cancelled ? 'voided' : 'pending';
}
