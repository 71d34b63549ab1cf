import type { Refund } from './refund.js';

/** Longer than everything that happens under one claim: a renewal, a look at the order, the sending and a read-back. */
export const WORK_MS = 120_000;

/** No request of a refund may take longer. */
const REQUEST_MS = 20_000;

/**
 * How long after an unanswered attempt a store may still be at work on it. Only what is not there after that is certainly not
 * there. It comes on top of the request's own deadline, which has passed by then.
 */
export const STILL_WORKING_MS = 30_000;

/**
 * From when on a refund that the store does not show has certainly not been made: what was concluded of the last sending, or,
 * of one that never was because its worker died, what its request may have taken at most.
 */
export function absenceCertainFrom({
  sentAt,
  nextAttemptAt,
}: Pick<Refund, 'sentAt' | 'nextAttemptAt'>): Date | null {
  if (sentAt === null || (nextAttemptAt !== null && nextAttemptAt > sentAt)) return nextAttemptAt;
  return certainlyDoneAt(sentAt);
}

/** From when on a store has certainly ended its work on a request that was sent then: what it does not show by now is not made. */
export const certainlyDoneAt = (sentAt: Date): Date =>
  new Date(sentAt.getTime() + REQUEST_MS + STILL_WORKING_MS);

/** Until when a refund that turns out not to have been made is sent again. After that it fails: nobody expects it any more. */
export const RESEND_WINDOW_MS = 15 * 60_000;

/** Until when a store that cannot be asked is asked again, before a person must look. */
export const POLL_WINDOW_MS = 24 * 3_600_000;

/** How long a store may take to settle what it has accepted, where it settles after its response. */
const SETTLE_LATER_MS = 14 * 24 * 3_600_000;

/** The same for a store that settles within its own request: what it has not settled by then it never will. */
const SETTLE_IN_REQUEST_MS = 30 * 60_000;

/** Until when a refund that the store lists without having settled it stays `pending`. */
export const settlesUntil = ({ createdAt }: Pick<Refund, 'createdAt'>, settlesLater: boolean): Date =>
  new Date(createdAt.getTime() + (settlesLater ? SETTLE_LATER_MS : SETTLE_IN_REQUEST_MS));

/** From which age on a person may decide about a refund that is `pending`. */
export const RESOLVABLE_AFTER_MS = 15 * 60_000;

const POLL_MS = 5_000;
const MAX_INTERVAL_MS = 10 * 60_000;

/**
 * When the store is read next: each interval is as long as the refund is old, so that it doubles from 5 s (30 s while the outcome
 * is unknown) up to 10 minutes. The age counts, not the claims: a caller that asks to resolve a refund again and again does
 * not delay the next read.
 */
export const pollAgainAt = (now: Date, refund: RefundAge): Date => backoffFrom(now, POLL_MS, refund);
export const readBackAgainAt = (now: Date, refund: RefundAge): Date =>
  backoffFrom(now, STILL_WORKING_MS, refund);

type RefundAge = Pick<Refund, 'sentAt' | 'createdAt'>;

function backoffFrom(now: Date, firstMs: number, { sentAt, createdAt }: RefundAge): Date {
  const ageMs = now.getTime() - (sentAt ?? createdAt).getTime();
  return new Date(now.getTime() + Math.min(MAX_INTERVAL_MS, Math.max(firstMs, ageMs)));
}
