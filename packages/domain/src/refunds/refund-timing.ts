/** Longer than everything that happens under one claim: a renewal, a look at the order, the sending and a read-back. */
export const LEASE_SECONDS = 90;

/**
 * How long after an unanswered attempt a store may still be at work on it. Only what is not there after that is certainly not
 * there. It comes on top of the request's own deadline, which has passed by then.
 */
export const STILL_WORKING_MS = 30_000;

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
