import type { ConnectionId, DeliveryId, PostId, RefundId } from '../ids.js';
import type { NextCall } from '../next-call.js';

/** How much of a post's text is enough to know it by. */
export const TITLE_CHARACTERS = 80;

/** What can wait for a person, most urgent first: this is the order of the list. */
export const attentionKinds = [
  'refund_needs_review',
  'post_needs_review',
  'connection_needs_reauth',
  'post_missed',
  'api_version_ends',
] as const;

export type AttentionKind = (typeof attentionKinds)[number];

/** One thing that goes no further by itself, and the call that goes on from there or looks closer. */
export interface AttentionItem {
  readonly kind: AttentionKind;
  /** Null where nobody wrote down when it began. */
  readonly since: Date | null;
  /** What people know it by: the beginning of a post's text, an account's name, an amount. */
  readonly title: string | null;
  readonly platform: string;
  readonly connectionId?: ConnectionId;
  readonly postId?: PostId;
  readonly deliveryId?: DeliveryId;
  readonly refundId?: RefundId;
  /** Of a connection: how many posts wait for it, and when the first of them is due. */
  readonly scheduledPosts?: number;
  readonly nextPostAt?: Date | null;
  /** Made of our own words only. */
  readonly message: string;
  readonly next: NextCall;
}
