import type { PlatformQuote } from '../failure.js';
import type { AttemptId, ConnectionId, DeliveryId, PostId, WorkspaceId } from '../ids.js';
import type { PartContent } from '../posts/post.js';
import type { DeliveryErrorCode } from '../reason-codes.js';

export type DeliveryStatus =
  /** A person has not approved it yet. */
  'awaiting_approval' | PublicDeliveryStatus;

/** The statuses that callers see. */
export const publicDeliveryStatuses = [
  'pending',
  'sending',
  'published',
  'failed',
  'retrying',
  'blocked',
  'unknown',
  'needs_review',
  'missed',
  'cancelled',
  'deleted',
] as const;
export type PublicDeliveryStatus = (typeof publicDeliveryStatuses)[number];

/** Nothing of these was sent, or nothing more since the last attempt. */
export const unsentStatuses: readonly DeliveryStatus[] = [
  'awaiting_approval',
  'pending',
  'retrying',
  'blocked',
];

/** Completely or partially published. */
export const possiblyPublished: readonly DeliveryStatus[] = ['published', 'failed', 'missed'];

/** What waits for a person's approval is pending; the status of the post states why. */
export const publicStatusOf = ({ status }: Pick<Delivery, 'status'>): PublicDeliveryStatus =>
  status === 'awaiting_approval' ? 'pending' : status;

/**
 * The reason for the state of a delivery, in this service's words, with the platform's message quoted
 * separately.
 */
export interface DeliveryError {
  readonly code: DeliveryErrorCode;
  readonly message: string;
  readonly platform?: PlatformQuote | undefined;
}

/** One part of a delivery and its state. Each replies to the previous one, so they are published in order. */
export interface DeliveryPart extends PartContent {
  readonly index: number;
  readonly status: 'pending' | 'published' | 'deleted';
  readonly externalId: string | null;
  readonly url: string | null;
  /**
   * Data for the platform's adapter only: a record's content id to reply to the part, or the progress of an
   * attempt.
   */
  readonly receipt: Readonly<Record<string, string>>;
  /** When the platform said that it was removed there, in ISO 8601; absent while it is not known to be. */
  readonly removedAt?: string | undefined;
  /** An edit ended without proof of its outcome: the platform may show that text instead of this one. */
  readonly isTextUncertain?: true | undefined;
}

/** The fields of a published part that an edit can change. */
export type EditableContent = Pick<PartContent, 'title' | 'text' | 'link'>;

/** The new content of a published part. */
export interface PartEdit extends EditableContent {
  readonly index: number;
  /** Since when the platform may show it, in ISO 8601; absent while nothing that may have taken effect was sent. */
  readonly sentAt?: string | undefined;
}

/** An edit of what is published. Each part is removed from it when its platform is known to show the new content. */
export interface DeliveryEdit {
  readonly parts: readonly PartEdit[];
  /** The digest of the delivery after the edit. */
  readonly contentDigest: string;
  /** The actor (`actorName`). */
  readonly requestedBy: string;
  /** In ISO 8601. */
  readonly requestedAt: string;
  /** How often it was attempted without an end. */
  readonly attempts: number;
}

/** When the post itself, the first part, was found to be removed at the platform. */
export const removedAtOf = ({ parts }: Pick<Delivery, 'parts'>): string | null => parts[0]?.removedAt ?? null;

/** A post on one connection. */
export interface Delivery {
  readonly id: DeliveryId;
  readonly postId: PostId;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly platform: string;
  readonly account: { readonly id: string; readonly username: string | null; readonly name: string | null };
  readonly status: DeliveryStatus;
  readonly options: Readonly<Record<string, unknown>>;
  /** Digest of normalized texts, link and media: compared by the duplicate guard. */
  readonly contentDigest: string;
  readonly scheduledAt: Date;
  readonly notAfter: Date;
  readonly attempts: number;
  /** The fencing token: incremented by every claim and passed to every later write. */
  readonly epoch: number;
  /** How often the outcome of the last attempt was queried, including by workers that crashed. */
  readonly readBacks: number;
  /** The post, then its thread, then its first comment. */
  readonly parts: readonly DeliveryPart[];
  readonly externalId: string | null;
  readonly url: string | null;
  readonly publishedAt: Date | null;
  readonly error: DeliveryError | null;
  readonly nextAttemptAt: Date | null;
  /** When the platform is next queried for the URL of a published part without one; null when it is not. */
  readonly resolveUrlAt: Date | null;
  /**
   * When it was restored from a backup, if the original installation may have sent it since: it is read back before it
   * is sent here. Null once that is known.
   */
  readonly restoredAt: Date | null;
  /** The edit that is under way; null without one. `nextAttemptAt` is then its next attempt. */
  readonly edit: DeliveryEdit | null;
}

/** Attempts, read-backs and decisions, in order. Written before any byte is sent. */
export interface DeliveryAttempt {
  readonly id: AttemptId;
  readonly deliveryId: DeliveryId;
  readonly workspaceId: WorkspaceId;
  readonly epoch: number;
  readonly kind: 'attempt' | 'read_back' | 'decision' | 'state';
  readonly outcome: string;
  readonly error: DeliveryError | null;
  readonly actor: string | null;
  /** A person's note about a decision. */
  readonly note: string | null;
  readonly at: Date;
}
