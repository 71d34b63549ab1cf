import type { RemoteRefund } from '@switchboard/domain/orders';
import type { RefundPayment } from '@switchboard/domain/refunds';
import { sumMoney } from './exact-amount.js';

/**
 * Merges the store's refunds of each payment into the single requested refund. Null unless every payment has
 * exactly one refund and all have the same outcome: a refund of which one half failed has neither succeeded
 * nor failed.
 */
export function mergeRefunds(
  payments: readonly RefundPayment[],
  created: readonly RemoteRefund[],
): RemoteRefund | null {
  const [first] = created;
  if (!first || created.length !== payments.length) return null;
  if (!payments.every((payment) => created.some((refund) => refund.paymentId === payment.id))) return null;

  const statuses = new Set(created.map((refund) => refund.status));
  if (statuses.has('failed') && statuses.size > 1) return null;
  if (created.length === 1) return first;
  return {
    ...first,
    externalId: created.map((refund) => refund.externalId).join(','),
    status: statuses.has('pending') ? 'pending' : first.status,
    amount: sumMoney(
      created.map((refund) => refund.amount),
      first.amount.currency,
    ),
    paymentId: null,
    // Cash returned over the counter does not reverse a card refund.
    moneyMoved: created.some((refund) => refund.moneyMoved),
  };
}
