import { ok, type RemoteRefund, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { leavesTransaction, type RefundPayment } from './read-payments.js';
import { requestJson, transactionList, type WireRefund, withEmptyBodyAs, withResponseTime } from './wire.js';

/** By this time after a refund its provider has declined it, or never will. */
const DECIDED_MS = 30 * 60_000;

/**
 * The refunds of one order with the outcome of their money: a refund names its transaction, which reports
 * success. For a provider without transactions (BigCommerce's test gateway) a refund counts as succeeded if
 * it was not declined in time, by the store's own clock.
 */
export async function withTransactions(
  session: Session,
  orderExternalId: string,
  refunds: readonly WireRefund[],
): AdapterResult<readonly WireRefund[]> {
  if (!refunds.some(({ payments }) => payments.some(leavesTransaction))) return ok(refunds);
  const listed = await requestJson(
    withResponseTime(withEmptyBodyAs(session, { data: [] })),
    `/v3/orders/${encodeURIComponent(orderExternalId)}/transactions`,
    transactionList,
  );
  if (!listed.ok) return listed;
  const { data: transactions, answered_at: answeredAt } = listed.value;

  function statusOf(payment: RefundPayment, { created }: WireRefund): RemoteRefund['status'] {
    if (transactions.length === 0) {
      const ageMs = answeredAt ? answeredAt.getTime() - created.getTime() : 0;
      return ageMs >= DECIDED_MS ? 'succeeded' : 'pending';
    }
    const made = transactions.find(({ id }) => id === String(payment.transaction_id ?? ''));
    if (made?.status === 'error') return 'failed';
    return made?.status === 'ok' ? 'succeeded' : 'pending';
  }
  return ok(
    refunds.map((refund) => ({
      ...refund,
      payments: refund.payments.map((payment) =>
        leavesTransaction(payment) ? { ...payment, status: statusOf(payment, refund) } : payment,
      ),
    })),
  );
}
