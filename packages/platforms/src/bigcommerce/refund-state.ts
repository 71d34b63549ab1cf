import { ok, refuse, type RemoteRefund, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { readRefund, refundPaymentStatus } from './read-payments.js';
import { withTransactions } from './transactions.js';
import type { WireRefund } from './wire.js';

/** What became of a refund: done or failed only where all of its payments are, whichever way each of them went. */
export async function refundState(
  session: Session,
  wire: WireRefund,
  currency: string,
): Answer<RemoteRefund> {
  const looked = await withTransactions(session, wire.order_id, [wire]);
  if (!looked.ok) return looked;
  const [refund = wire] = looked.value;
  const statuses = new Set(refund.payments.map(refundPaymentStatus));
  return statuses.has('failed') && statuses.size > 1
    ? refuse(
        'platform.outcome_unknown',
        'Only a part of this refund was paid. Look at the order at BigCommerce.',
      )
    : ok(readRefund(refund, currency));
}
