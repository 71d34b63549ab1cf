import { ok, refuse } from '@switchboard/domain';
import type { RemoteRefund } from '@switchboard/domain/orders';
import type { RefundInstruction, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { moneyOf } from '../kit/decimal.js';
import { leavesTransaction, paymentIdOf, readRefund, refundPaymentStatus } from './read-payments.js';
import { withTransactions } from './transactions.js';
import type { WireRefund } from './wire.js';

type InstructedPayments = Pick<RefundInstruction, 'currency' | 'payments'>;

/** The outcome of a refund: succeeded or failed only if all of its payments are, by whichever method. */
export async function refundState(
  session: Session,
  wire: WireRefund,
  instruction: InstructedPayments,
): AdapterResult<RemoteRefund> {
  const looked = await withTransactions(session, wire.order_id, [wire]);
  if (!looked.ok) return looked;
  const [refund = wire] = looked.value;
  const statuses = new Set(refund.payments.map(refundPaymentStatus));
  return statuses.has('failed') && statuses.size > 1
    ? outcomeUnknown('Only part of this refund was paid. Check the order at BigCommerce.')
    : verifyPayments(instruction, refund);
}

/**
 * The refund, unless its payments differ from those that were sent. Without payments it is pending,
 * regardless of its amount.
 */
export function verifyPayments({ payments, currency }: InstructedPayments, wire: WireRefund) {
  const isSame = payments.every(({ id, amountMinor }) =>
    wire.payments.some(
      (created) =>
        paymentIdOf(created.provider_id) === id &&
        moneyOf(created.amount, currency).amountMinor === amountMinor,
    ),
  );
  return wire.payments.length === 0 || (isSame && wire.payments.length === payments.length)
    ? ok(readRefund(wire, currency))
    : outcomeUnknown('BigCommerce refunded different payments. Check the order there.');
}

/** For a refund without a readable transaction: a payment that leaves one is pending. */
export const withPendingPayments = (wire: WireRefund): WireRefund => ({
  ...wire,
  payments: wire.payments.map((payment) =>
    leavesTransaction(payment) ? { ...payment, status: 'pending' } : payment,
  ),
});

const outcomeUnknown = (reason: string) => refuse('platform.outcome_unknown', reason);
