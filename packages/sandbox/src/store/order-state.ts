import type { Order, PaymentStatus } from './order.js';
import type { Refund } from './refund.js';
import { statusOf } from './refund.js';

/**
 * An order's remainder after refunds. A failed refund does not count; a pending one is no longer refundable.
 */
export interface OrderState {
  readonly captured: number;
  readonly refunded: number;
  readonly pending: number;
  readonly refundable: number;
  readonly paymentStatus: PaymentStatus;
  readonly updatedAt: string;
  refundedOf(paymentId: string): number;
  refundableOf(paymentId: string): number;
  refundedQuantity(lineItemId: string): number;
  readonly shippingRefunded: number;
  readonly shippingRefundable: number;
}

export function stateOf(order: Order, refunds: readonly Refund[], now: Date): OrderState {
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const succeeded = refunds.filter((refund) => statusOf(refund, now) === 'succeeded');
  const counted = refunds.filter((refund) => statusOf(refund, now) !== 'failed');
  const captured = sum(order.payments.map((payment) => payment.captured));
  const refunded = sum(succeeded.map((refund) => refund.amount));
  const claimed = sum(counted.map((refund) => refund.amount));
  const of = (id: string, from: readonly Refund[]) =>
    sum(from.filter((refund) => refund.payment_id === id).map((refund) => refund.amount));
  const shippingRefunded = sum(counted.map((refund) => refund.shipping));
  const moments = refunds.flatMap((refund) => [
    refund.created_at,
    statusOf(refund, now) === 'pending' ? '' : refund.settles_at,
  ]);
  return {
    captured,
    refunded,
    pending: claimed - refunded,
    refundable: Math.max(0, captured - claimed),
    paymentStatus:
      refunded === 0 ? order.payment_status : refunded >= captured ? 'refunded' : 'partially_refunded',
    updatedAt: moments.reduce((latest, moment) => (moment > latest ? moment : latest), order.updated_at),
    refundedOf: (id) => of(id, succeeded),
    refundableOf: (id) =>
      Math.max(0, (order.payments.find((payment) => payment.id === id)?.captured ?? 0) - of(id, counted)),
    refundedQuantity: (id) =>
      sum(
        counted.flatMap((refund) =>
          refund.line_items.filter((line) => line.id === id).map((line) => line.quantity),
        ),
      ),
    shippingRefunded,
    shippingRefundable: Math.max(0, sum(order.shipping_lines.map((line) => line.total)) - shippingRefunded),
  };
}
