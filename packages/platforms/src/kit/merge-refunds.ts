import { money, type RefundPayment, type RemoteRefund } from '@switchboard/domain';

/**
 * The store's refunds of each payment as the one refund that was asked for. Null unless every payment has exactly one and
 * all of them fared alike: a refund of which one half failed is neither made nor not made.
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
    amount: money(
      created.reduce((sum, refund) => sum + refund.amount.amountMinor, 0),
      first.amount.currency,
    ),
    paymentId: null,
    // Cash that goes back over the counter does not undo what went back to a card.
    moneyMoved: created.some((refund) => refund.moneyMoved),
  };
}
