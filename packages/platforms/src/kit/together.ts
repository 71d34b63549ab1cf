import { money, type RefundPayment, type RemoteRefund } from '@switchboard/domain';

/**
 * The store's refunds of each payment as the one refund that was asked for. Null unless every payment has exactly one and
 * all of them fared alike: a refund of which one half failed is neither made nor not made.
 */
export function together(
  payments: readonly RefundPayment[],
  made: readonly RemoteRefund[],
): RemoteRefund | null {
  const [first] = made;
  if (!first || made.length !== payments.length) return null;
  if (!payments.every((payment) => made.some((refund) => refund.paymentId === payment.id))) return null;

  const statuses = new Set(made.map((refund) => refund.status));
  if (statuses.has('failed') && statuses.size > 1) return null;
  if (made.length === 1) return first;
  return {
    ...first,
    externalId: made.map((refund) => refund.externalId).join(','),
    status: statuses.has('pending') ? 'pending' : first.status,
    amount: money(
      made.reduce((sum, refund) => sum + refund.amount.amountMinor, 0),
      first.amount.currency,
    ),
    paymentId: null,
    // Cash that goes back over the counter does not undo what went back to a card.
    moneyMoved: made.some((refund) => refund.moneyMoved),
  };
}
