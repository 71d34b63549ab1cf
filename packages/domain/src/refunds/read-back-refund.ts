import { failure } from '../failure.js';
import type { Refunding, RefundInstruction } from '../ports/refunding.js';
import type { Session } from '../ports/session.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { RefundAttempt } from './refund-attempt.js';
import { RESEND_WINDOW_MS, absenceCertainFrom } from './refund-timing.js';
import type { Refund } from './refund.js';
import { findUnclearFailure } from './find-unclear-failure.js';

/**
 * Reconciliation of an unknown outcome: looks up at the store whether a refund was made. `absent`: the store
 * does not list it, which may still change.
 */
export async function readBackRefund(
  refunding: Refunding,
  session: Session,
  instruction: RefundInstruction,
): Promise<RefundAttempt | { readonly kind: 'absent' }> {
  const find = refunding.find?.bind(refunding);
  if (!find) {
    return {
      kind: 'unclear',
      failure: failure(
        'platform.outcome_unknown',
        'The refund may have been made, and this store cannot be queried. Check the store, then resolve the refund.',
      ),
    };
  }
  const found = await catchAdapterErrors(() => find(session, instruction));
  if (found.ok) return found.value === null ? { kind: 'absent' } : { kind: 'made', remote: found.value };
  return {
    kind: found.failure.code === 'platform.outcome_unknown' ? 'unclear' : 'unknown',
    failure: found.failure,
  };
}

/**
 * The consequences of a refund's absence at the store where it must not be sent again, or not yet; null: send
 * it.
 */
export function concludeAbsence(refund: Refund, now: Date, mayResend: boolean): RefundAttempt | null {
  const unclear = findUnclearFailure(refund);
  if (unclear) return { kind: 'unclear', failure: unclear };
  if (refund.externalId !== null) {
    return {
      kind: 'unclear',
      failure: failure('platform.outcome_unknown', 'The store no longer lists this refund.'),
    };
  }
  const until = absenceCertainFrom(refund);
  if (until !== null && now < until) {
    return {
      kind: 'unknown',
      // An early check does not postpone it.
      certainFrom: until,
      failure: failure(
        'platform.outcome_unknown',
        'The store does not list the refund yet and may still be processing it.',
      ),
    };
  }
  if (mayResend && now.getTime() - refund.createdAt.getTime() < RESEND_WINDOW_MS) return null;
  return {
    kind: 'not_sent',
    failure: failure('platform.unavailable', 'The store did not make this refund. Nothing was refunded.'),
  };
}
