import type { ApprovalId, ConnectionId, DeliveryId, PostId, RefundId, WebhookId } from '../ids.js';
import type { NextCall } from '../next-call.js';

/** How many characters of a post's text identify it in the list. */
export const TITLE_CHARACTERS = 80;

/** The kinds of items that require a person's action, most urgent first: this is the order of the list. */
export const attentionKinds = [
  'refund_needs_review',
  'post_needs_review',
  'approval_pending',
  'connection_needs_reauth',
  'connection_degraded',
  'webhook_disabled',
  'media_failed',
  'post_failed',
  'post_missed',
  'api_version_ends',
] as const;

export type AttentionKind = (typeof attentionKinds)[number];

/** Identifies an item while it waits. */
export const attentionKeyOf = ({ kind, platform, ...item }: AttentionItem): string =>
  [
    kind,
    item.approvalId ??
      item.refundId ??
      item.deliveryId ??
      item.postId ??
      item.connectionId ??
      item.webhookId ??
      platform,
  ].join(' ');

/** One item that does not progress without a person, and the call that resolves it or shows details. */
export interface AttentionItem {
  readonly kind: AttentionKind;
  /** Null when the start time was not recorded. */
  readonly since: Date | null;
  /** A recognizable label: the beginning of a post's text, an account's name, an amount. */
  readonly title: string | null;
  /** Empty for what belongs to no platform. */
  readonly platform: string;
  readonly connectionId?: ConnectionId;
  readonly postId?: PostId;
  readonly deliveryId?: DeliveryId;
  readonly refundId?: RefundId;
  readonly webhookId?: WebhookId;
  readonly approvalId?: ApprovalId;
  /** For a connection: how many scheduled posts depend on it, and when the first of them is due. */
  readonly scheduledPosts?: number;
  readonly nextPostAt?: Date | null;
  /**
   * What has happened, for anyone. Text of this service; of third parties, it contains the names of accounts only
   * (`describeAccount`).
   */
  readonly summary: string;
  /** The summary, and which call resolves it. */
  readonly message: string;
  readonly next: NextCall;
}
