import { notFound } from '../failure.js';
import type { RemoteOrder } from '../orders/order.js';
import type { Orders } from '../ports/orders.js';
import type { PlatformFailureCode, Session } from '../ports/session.js';
import { ok, type Result } from '../result.js';
import { exceedsRefundable } from './plan-refund.js';
import type { Refund } from './refund.js';

/**
 * The last check before money moves. No other refund of this service can interfere, because this one holds
 * the order.
 */
export async function checkRefundable(
  orders: Orders,
  session: Session,
  refund: Refund,
): Promise<Result<undefined, PlatformFailureCode | 'order.not_found' | 'refund.exceeds_refundable'>> {
  const order = await orders.get(session, refund.orderExternalId);
  if (!order.ok) return order;
  if (order.value === null) return notFound('order');
  return isRefundable(order.value, refund) ? ok() : exceedsRefundable(order.value.totals.refundable);
}

const isRefundable = (
  { currency, totals, payments }: RemoteOrder,
  { amount, payments: parts }: Refund,
): boolean =>
  currency === amount.currency &&
  amount.amountMinor <= totals.refundable.amountMinor &&
  amount.amountMinor <= totals.captured.amountMinor - totals.refunded.amountMinor &&
  parts.every(({ id, amountMinor }) =>
    payments.some((payment) => payment.id === id && amountMinor <= payment.refundable.amountMinor),
  );
