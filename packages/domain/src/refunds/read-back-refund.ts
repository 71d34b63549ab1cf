import { failure } from '../failure.js';
import type { Refunding, RefundInstruction, Session } from '../ports/platform.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { RefundAttempt } from './refund-attempt.js';
import { RESEND_WINDOW_MS, absenceCertainFrom } from './refund-timing.js';
import type { Refund } from './refund.js';
import { findUnclearFailure } from './find-unclear-failure.js';

/** Looks at the store whether a refund was made. `absent`: the store does not show it, which may still change. */
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
        'The refund may have been made, and this store cannot be asked. Look there, then resolve it.',
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

/** What the absence of a refund at the store means where it is not to be sent again, or not yet; null: send it. */
export function concludeAbsence(refund: Refund, now: Date, mayResend: boolean): RefundAttempt | null {
  const unclear = findUnclearFailure(refund);
  if (unclear) return { kind: 'unclear', failure: unclear };
  if (refund.externalId !== null) {
    return {
      kind: 'unclear',
      failure: failure(
        'platform.outcome_unknown',
        'The store had this refund and does not show it any more.',
      ),
    };
  }
  const until = absenceCertainFrom(refund);
  if (until !== null && now < until) {
    return {
      kind: 'unknown',
      // Looking early does not put it off.
      certainFrom: until,
      failure: failure(
        'platform.outcome_unknown',
        'The store does not show the refund yet, and may still be at work on it.',
      ),
    };
  }
  if (mayResend && now.getTime() - refund.createdAt.getTime() < RESEND_WINDOW_MS) return null;
  return {
    kind: 'not_sent',
    failure: failure('platform.unavailable', 'The store did not make this refund. Nothing was refunded.'),
  };
}
