import type { Failure } from '../failure.js';
import type { RemoteRefund } from '../orders/order.js';

/** What came of one attempt to send a refund, or to learn what became of an earlier one. */
export type RefundAttempt =
  | { readonly kind: 'made'; readonly remote: RemoteRefund }
  /** The store said no. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** It is certain that nothing happened, now or before. */
  | { readonly kind: 'not_sent'; readonly failure: Failure }
  /** It may have happened; ask again later, or at a time from which on the answer is certain. */
  | { readonly kind: 'unknown'; readonly failure: Failure; readonly certainFrom?: Date | undefined }
  /** It may have happened, and asking again will not help: a person must look. */
  | { readonly kind: 'unclear'; readonly failure: Failure }
  /** Somebody else has taken over. */
  | { readonly kind: 'lost' };
