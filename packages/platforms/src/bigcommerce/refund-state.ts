import {
  ok,
  refuse,
  type PlatformFailureCode,
  type RemoteRefund,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { readRefund, refundPaymentStatus, paymentIdOf } from './read-payments.js';
import { dialect, transactionList, withNothingAs, type WireRefund } from './wire.js';

/**
 * What became of the money of a refund. The refund says whether the provider declined it and which transaction it made;
 * the transaction, whether that went well. A provider that leaves no transactions at all (BigCommerce's test gateway) is
 * believed when it has not declined.
 */
export async function refundState(
  session: Session,
  wire: WireRefund,
  currency: string,
): Promise<Result<RemoteRefund, PlatformFailureCode>> {
  const refund = readRefund(wire, currency);
  const sent = wire.payments.filter(
    (payment) => !payment.offline && !payment.is_declined && paymentIdOf(payment.provider_id) === 'provider',
  );
  if (sent.length === 0) return ok(refund);
  const listed = await ask(
    withNothingAs(session, { data: [] }),
    dialect,
    {
      method: 'GET',
      path: `/v3/orders/${encodeURIComponent(wire.order_id)}/transactions`,
      effect: 'read',
    },
    transactionList,
  );
  if (!listed.ok) return listed;
  const { data: transactions } = listed.value;
  if (transactions.length === 0) return ok({ ...refund, status: 'succeeded' });
  const statuses = sent.map((payment): RemoteRefund['status'] => {
    const made = transactions.find(({ id }) => id === String(payment.transaction_id ?? ''));
    if (made?.status === 'error') return 'failed';
    return made ? 'succeeded' : refundPaymentStatus({ ...payment, transaction_id: null });
  });
  const [status = 'succeeded', ...others] = new Set(statuses);
  if (others.length === 0) return ok({ ...refund, status });
  return statuses.includes('failed')
    ? refuse(
        'platform.outcome_unknown',
        'Only a part of this refund was paid. Look at the order at BigCommerce.',
      )
    : ok({ ...refund, status: 'pending' });
}
