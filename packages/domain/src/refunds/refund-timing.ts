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
export function shownUntil({ sentAt, nextAttemptAt }: Pick<Refund, 'sentAt' | 'nextAttemptAt'>): Date | null {
  if (sentAt === null || (nextAttemptAt !== null && nextAttemptAt > sentAt)) return nextAttemptAt;
  return new Date(sentAt.getTime() + REQUEST_MS + STILL_WORKING_MS);
}

/** Until when a refund that turns out not to have been made is sent again. After that it fails: nobody expects it any more. */
export const SEND_AGAIN_UNTIL_MS = 15 * 60_000;

/** Until when a store that cannot be asked is asked again, before a person must look. */
export const ASK_UNTIL_MS = 24 * 3_600_000;

/** Until when a store may take to settle what it has accepted. */
export const SETTLE_UNTIL_MS = 14 * 24 * 3_600_000;

const POLL_MS = 5_000;
const SLOWEST_MS = 10 * 60_000;

/** When to look again, later each time: a store that settles within seconds is noticed, one that takes days is not pestered. */
export const pollAgainAt = (now: Date, epoch: number): Date => later(now, POLL_MS, epoch);
export const readBackAgainAt = (now: Date, epoch: number): Date => later(now, STILL_WORKING_MS, epoch);

const later = (now: Date, firstMs: number, epoch: number): Date =>
  new Date(now.getTime() + Math.min(SLOWEST_MS, firstMs * 2 ** Math.min(20, Math.max(0, epoch - 1))));
