import type { RefundEventType } from '../events/event-data.js';
import { failure, type Failure } from '../failure.js';
import type { RefundChanges } from '../ports/refunds.js';
import type { RemoteRefund } from '../orders/order.js';
import type { RefundAttempt } from './refund-attempt.js';
import { POLL_WINDOW_MS, pollAgainAt, readBackAgainAt, settlesUntil, startOf } from './refund-timing.js';
import type { Refund, RefundError } from './refund.js';
import { findUnclearFailure } from './find-unclear-failure.js';

type ReservationOutcome = 'kept' | 'spent' | 'freed';

export interface Conclusion {
  readonly changes: RefundChanges;
  readonly reservation: ReservationOutcome;
  readonly event: RefundEventType | null;
  /** Idempotency key and quote may be used again: nothing happened. */
  readonly releasesKeys: boolean;
}

/**
 * The consequences of an attempt for the refund. Pure. `settlesLater`: whether its store may settle after its
 * response.
 */
export function concludeAttempt(
  refund: Refund,
  attempt: Exclude<RefundAttempt, { kind: 'lost' }>,
  now: Date,
  settlesLater: boolean,
): Conclusion {
  if (attempt.kind === 'held')
    return keepOpen(refund.sentAt === null ? {} : { nextAttemptAt: readBackAgainAt(now, refund) });
  const unclear = findUnclearFailure(refund);
  // If the response to the request was ambiguous, later absence at the store does not prove anything.
  if (unclear && attempt.kind !== 'made') return sendToReview(unclear);
  switch (attempt.kind) {
    case 'made':
      return concludeListed(refund, attempt.remote, now, settlesLater);
    case 'refused':
      return failed(attempt.failure, now, false);
    case 'not_sent':
      return failed(attempt.failure, now, true);
    case 'unclear':
      return sendToReview(attempt.failure);
    case 'unknown':
      return isOlder(refund, now, POLL_WINDOW_MS)
        ? sendToReview(attempt.failure)
        : keepOpen({
            status: refund.externalId === null ? 'unknown' : 'pending',
            error: errorOf(attempt.failure),
            nextAttemptAt: attempt.certainFrom ?? readBackAgainAt(now, refund),
          });
  }
}

function concludeListed(refund: Refund, remote: RemoteRefund, now: Date, settlesLater: boolean): Conclusion {
  const { externalId, moneyMoved, amount } = remote;
  if (amount.amountMinor !== refund.amount.amountMinor || amount.currency !== refund.amount.currency) {
    return sendToReview(
      failure('platform.outcome_unknown', 'The store lists this refund with a different amount.'),
      externalId,
    );
  }
  switch (remote.status) {
    case 'succeeded':
      return {
        changes: {
          status: 'succeeded',
          externalId,
          moneyMoved,
          error: null,
          settledAt: now,
          nextAttemptAt: null,
        },
        reservation: 'spent',
        event: 'refund.succeeded',
        releasesKeys: false,
      };
    case 'failed': {
      const reason = failure(
        'refund.refused',
        'The store accepted the refund and then reported that it failed.',
      );
      const { changes, ...rest } = failed(reason, now, false);
      return { ...rest, changes: { ...changes, externalId } };
    }
    case 'pending': {
      const until = settlesUntil(refund, settlesLater);
      if (now >= until) {
        const message = settlesLater
          ? 'The store has not settled this refund in two weeks.'
          : 'The store lists this refund but has not confirmed within 30 minutes that the money moved. Check the payment provider, then resolve the refund.';
        return sendToReview(failure('platform.outcome_unknown', message), externalId);
      }
      const next = pollAgainAt(now, refund);
      return keepOpen({
        status: 'pending',
        externalId,
        error: null,
        nextAttemptAt: next < until ? next : until,
      });
    }
  }
}

const isOlder = (refund: Refund, now: Date, ms: number): boolean =>
  now.getTime() - startOf(refund).getTime() > ms;

const errorOf = ({ code, message, platform, details, retryAfterSeconds }: Failure): RefundError => ({
  code,
  message,
  ...(platform && { platform }),
  ...(details && { details }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

const keepOpen = (changes: RefundChanges): Conclusion => ({
  changes,
  reservation: 'kept',
  event: null,
  releasesKeys: false,
});

const failed = (reason: Failure, now: Date, releasesKeys: boolean): Conclusion => ({
  changes: {
    status: 'failed',
    moneyMoved: false,
    error: errorOf(reason),
    settledAt: now,
    nextAttemptAt: null,
  },
  reservation: 'freed',
  event: 'refund.failed',
  releasesKeys,
});

const sendToReview = (reason: Failure, externalId?: string): Conclusion => ({
  changes: {
    status: 'needs_review',
    error: errorOf(reason),
    nextAttemptAt: null,
    ...(externalId && { externalId }),
  },
  reservation: 'kept',
  event: 'refund.needs_review',
  releasesKeys: false,
});
