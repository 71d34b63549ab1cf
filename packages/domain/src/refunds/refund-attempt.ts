import type { Failure } from '../failure.js';
import type { RemoteRefund } from '../orders/order.js';

/** The outcome of one attempt to send a refund, or to look up an earlier attempt. */
export type RefundAttempt =
  | { readonly kind: 'made'; readonly remote: RemoteRefund }
  /** The store rejected it. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Guaranteed without effect, now and before. */
  | { readonly kind: 'not_sent'; readonly failure: Failure }
  /** It may have taken effect; check again later, or at a time from which the result is certain. */
  | { readonly kind: 'unknown'; readonly failure: Failure; readonly certainFrom?: Date | undefined }
  /** It may have taken effect, and another check does not help: a person must decide. */
  | { readonly kind: 'unclear'; readonly failure: Failure }
  /** A pause holds it: this attempt sent nothing. */
  | { readonly kind: 'held' }
  /** Another process has taken over. */
  | { readonly kind: 'lost' };
