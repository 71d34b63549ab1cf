import type { Refund } from './refund.js';

/**
 * Longer than everything that happens under one claim: a token renewal, a read of the order, the request and
 * a read-back.
 */
export const WORK_MS = 120_000;

/** No request of a refund may take longer. */
const REQUEST_MS = 20_000;

/**
 * How long after an attempt without a response a store may still be processing it. Only a refund that is
 * absent after that was certainly not made. Added to the request's own deadline, which has passed by then.
 */
const STILL_WORKING_MS = 30_000;

/**
 * From when on the absence of a refund at the store is certain: the stored time of the last attempt, or, if
 * its worker crashed before storing one, the maximum duration of its request.
 */
export function absenceCertainFrom({
  sentAt,
  nextAttemptAt,
}: Pick<Refund, 'sentAt' | 'nextAttemptAt'>): Date | null {
  if (sentAt === null || (nextAttemptAt !== null && nextAttemptAt > sentAt)) return nextAttemptAt;
  return certainlyDoneAt(sentAt);
}

/**
 * From when on a store has certainly finished a request that was sent at this time: a refund that it does not
 * list by then was not made.
 */
export const certainlyDoneAt = (sentAt: Date): Date =>
  new Date(sentAt.getTime() + REQUEST_MS + STILL_WORKING_MS);

/**
 * How long a refund that was not made is sent again. After that it fails, because the caller no longer
 * expects it.
 */
export const RESEND_WINDOW_MS = 15 * 60_000;

/** How long an unreachable store is queried again, before the refund requires a person. */
export const POLL_WINDOW_MS = 24 * 3_600_000;

/** The maximum settlement time of a store that settles after its response. */
const SETTLE_LATER_MS = 14 * 24 * 3_600_000;

/** The same for a store that settles within its own request: a refund unsettled by then never will be. */
const SETTLE_IN_REQUEST_MS = 30 * 60_000;

/** When the store first saw the refund: it may have waited for an approval before. */
export const startOf = ({
  firstSentAt,
  approval,
  createdAt,
}: Pick<Refund, 'firstSentAt' | 'approval' | 'createdAt'>): Date =>
  firstSentAt ?? approval?.decidedAt ?? createdAt;

/** How long a refund that the store lists without having settled it stays `pending`. */
export const settlesUntil = (
  refund: Pick<Refund, 'firstSentAt' | 'approval' | 'createdAt'>,
  settlesLater: boolean,
): Date => new Date(startOf(refund).getTime() + (settlesLater ? SETTLE_LATER_MS : SETTLE_IN_REQUEST_MS));

/** The age from which a person may resolve a `pending` refund. */
export const RESOLVABLE_AFTER_MS = 15 * 60_000;

const POLL_MS = 5_000;
const MAX_INTERVAL_MS = 10 * 60_000;

/**
 * When the store is read next, with exponential backoff: each interval is as long as the age of the refund,
 * so that it doubles from 5 s (30 s while the outcome is unknown) up to 10 minutes. The age counts, not the
 * claims: repeated requests to resolve a refund do not delay the next read.
 */
export const pollAgainAt = (now: Date, refund: RefundAge): Date => backoffFrom(now, POLL_MS, refund);
export const readBackAgainAt = (now: Date, refund: RefundAge): Date =>
  backoffFrom(now, STILL_WORKING_MS, refund);

type RefundAge = Pick<Refund, 'sentAt' | 'createdAt'>;

function backoffFrom(now: Date, firstMs: number, { sentAt, createdAt }: RefundAge): Date {
  const ageMs = now.getTime() - (sentAt ?? createdAt).getTime();
  return new Date(now.getTime() + Math.min(MAX_INTERVAL_MS, Math.max(firstMs, ageMs)));
}
