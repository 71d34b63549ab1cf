import { fromBase64Url, toBase64Url } from '../base64-url.js';
import type { ApprovalId, ConnectionId, DeliveryId, PostId, ProfileId, RefundId, WebhookId } from '../ids.js';
import type { NextCall } from '../next-call.js';

/** How many characters of a post's text identify it in the list. */
export const TITLE_CHARACTERS = 80;

/** The kinds of items that require a person's action, most urgent first: this is the order of the list. */
export const attentionKinds = [
  'installation_paused',
  'database_promoted',
  'profile_paused',
  'connection_paused',
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

/** The object that an item is about; empty for the installation. */
export const objectOf = ({ platform, ...item }: Omit<AttentionItem, 'id'>): string =>
  item.approvalId ??
  item.refundId ??
  item.deliveryId ??
  item.postId ??
  item.connectionId ??
  item.webhookId ??
  item.profileId ??
  platform;

/** Identifies an item while it waits, also across occurrences of its cause. */
export const attentionKeyOf = (item: AttentionItem): string => [item.kind, objectOf(item)].join(' ');

/** `att_` + base64url(kind, object, occurrence): an item has no row, and what recurs is another item. */
export const formatItemId = (kind: AttentionKind, object: string, occurrence: string | number): string =>
  `att_${toBase64Url(new TextEncoder().encode([kind, object, occurrence].join(' ')))}`;

const ITEM_ID_MAX = 200;

/** The kind in an id; null for any text that is none. */
export function parseItemKind(id: string): AttentionKind | null {
  if (id.length > ITEM_ID_MAX || !/^att_[A-Za-z0-9_-]+$/.test(id)) return null;
  const [kind] = fromBase64Url(id.slice('att_'.length))?.split(' ') ?? [];
  return attentionKinds.find((one) => one === kind) ?? null;
}

/** One item that does not progress without a person, and the call that resolves it or shows details. */
export interface AttentionItem {
  readonly id: string;
  readonly kind: AttentionKind;
  /** Null when the start time was not recorded. */
  readonly since: Date | null;
  /** A recognizable label: the beginning of a post's text, an account's name, an amount. */
  readonly title: string | null;
  /** Empty for what belongs to no platform. */
  readonly platform: string;
  readonly profileId?: ProfileId;
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
