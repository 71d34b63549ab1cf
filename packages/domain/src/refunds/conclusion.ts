import type { EventType } from '../events/event.js';
import { failure, type Failure } from '../failure.js';
import type { RefundChanges } from '../ports/refunds.js';
import type { RemoteRefund } from '../orders/order.js';
import type { Attempt } from './attempt.js';
import { ASK_UNTIL_MS, pollAgainAt, readBackAgainAt, settlesUntil } from './refund-timing.js';
import type { Refund, RefundError } from './refund.js';
import { whyUnclear } from './why-unclear.js';

/** What becomes of the money that was set aside. */
type Reservation = 'kept' | 'spent' | 'freed';

export interface Conclusion {
  readonly changes: RefundChanges;
  readonly reservation: Reservation;
  readonly event: EventType | null;
  /** Idempotency key and quote may be used again: nothing happened. */
  readonly freesKeys: boolean;
}

/** What an attempt means for the refund. Pure. `settlesLater`: whether its store may settle after its response. */
export function conclusionOf(
  refund: Refund,
  attempt: Exclude<Attempt, { kind: 'lost' }>,
  now: Date,
  settlesLater: boolean,
): Conclusion {
  const unclear = whyUnclear(refund);
  // What no answer to our sending could tell, no later silence of the store's does.
  if (unclear && attempt.kind !== 'made') return forReview(unclear);
  switch (attempt.kind) {
    case 'made':
      return madeAt(refund, attempt.remote, now, settlesLater);
    case 'refused':
      return failed(attempt.failure, now, false);
    case 'not_sent':
      return failed(attempt.failure, now, true);
    case 'unclear':
      return forReview(attempt.failure);
    case 'unknown':
      return isOlder(refund, now, ASK_UNTIL_MS)
        ? forReview(attempt.failure)
        : keep({
            status: refund.externalId === null ? 'unknown' : 'pending',
            error: errorOf(attempt.failure),
            nextAttemptAt: attempt.certainFrom ?? readBackAgainAt(now, refund),
          });
  }
}

function madeAt(refund: Refund, remote: RemoteRefund, now: Date, settlesLater: boolean): Conclusion {
  const { externalId, moneyMoved, amount } = remote;
  if (amount.amountMinor !== refund.amount.amountMinor || amount.currency !== refund.amount.currency) {
    return forReview(
      failure('platform.outcome_unknown', 'The store shows this refund with another amount.'),
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
        freesKeys: false,
      };
    case 'failed': {
      const why = failure(
        'refund.refused',
        'The store accepted the refund and then reported that it failed.',
      );
      const { changes, ...rest } = failed(why, now, false);
      return { ...rest, changes: { ...changes, externalId } };
    }
    case 'pending': {
      const until = settlesUntil(refund, settlesLater);
      if (now >= until) {
        const message = settlesLater
          ? 'The store has not settled this refund in two weeks.'
          : 'The store lists this refund and has not confirmed within 30 minutes that the money moved. Look at the payment provider, then resolve it.';
        return forReview(failure('platform.outcome_unknown', message), externalId);
      }
      const next = pollAgainAt(now, refund);
      return keep({ status: 'pending', externalId, error: null, nextAttemptAt: next < until ? next : until });
    }
  }
}

const isOlder = ({ createdAt }: Refund, now: Date, ms: number): boolean =>
  now.getTime() - createdAt.getTime() > ms;

const errorOf = ({ code, message, platform, details, retryAfterSeconds }: Failure): RefundError => ({
  code,
  message,
  ...(platform && { platform }),
  ...(details && { details }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

const keep = (changes: RefundChanges): Conclusion => ({
  changes,
  reservation: 'kept',
  event: null,
  freesKeys: false,
});

const failed = (why: Failure, now: Date, freesKeys: boolean): Conclusion => ({
  changes: { status: 'failed', moneyMoved: false, error: errorOf(why), settledAt: now, nextAttemptAt: null },
  reservation: 'freed',
  event: 'refund.failed',
  freesKeys,
});

const forReview = (why: Failure, externalId?: string): Conclusion => ({
  changes: {
    status: 'needs_review',
    error: errorOf(why),
    nextAttemptAt: null,
    ...(externalId && { externalId }),
  },
  reservation: 'kept',
  event: 'refund.needs_review',
  freesKeys: false,
});
