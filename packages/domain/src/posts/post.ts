import type { AttemptId, ConnectionId, DeliveryId, MediaId, PostId, ProfileId, WorkspaceId } from '../ids.js';
import type { PlatformQuote } from '../failure.js';
import type { Metadata } from '../profiles/profile.js';
import type { DraftTarget } from './draft-post.js';

export type DeliveryStatus =
  | 'pending'
  | 'sending'
  | 'published'
  | 'failed'
  | 'retrying'
  | 'blocked'
  | 'unknown'
  | 'needs_review'
  | 'missed'
  | 'cancelled'
  | 'deleted';

export type PostStatus =
  | 'draft'
  | 'awaiting_approval'
  | 'scheduled'
  | 'publishing'
  | 'needs_review'
  | 'published'
  | 'partially_published'
  | 'failed'
  | 'missed'
  | 'cancelled'
  | 'deleted';

/**
 * The reason for the state of a delivery, in this service's words, with the platform's message quoted
 * separately.
 */
export interface DeliveryError {
  readonly code: string;
  readonly message: string;
  readonly platform?: PlatformQuote | undefined;
}

/** An image, video or document as a post uses it. */
export interface MediaUse {
  readonly mediaId: MediaId;
  /** The URL from which the caller requested it; null when it was uploaded. */
  readonly url: string | null;
  readonly altText: string | null;
}

/** The content of one part of a delivery: the post itself, a reply of its thread, or its first comment. */
export interface PartContent {
  readonly kind: 'post' | 'thread' | 'comment';
  readonly title: string | null;
  readonly text: string;
  readonly link: string | null;
  readonly media: readonly MediaUse[];
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
}

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

/** A target as it was requested, with its media resolved. */
export interface RequestedTarget extends Omit<DraftTarget, 'media'> {
  readonly media?: readonly MediaUse[] | undefined;
}

/**
 * The caller's request as far as the rest of the post does not contain it: an edit starts from it, and
 * everything is derived again.
 */
export interface PostRequest {
  readonly targets: 'all' | readonly RequestedTarget[];
  /** As it was written, also a local time; null for "now". */
  readonly scheduledAt: string | null;
  /** RFC 3339; null for the default. */
  readonly notAfter: string | null;
}

/** A reply of the thread below a post. */
export interface ThreadItem {
  readonly text: string;
  readonly media: readonly MediaUse[];
}

/**
 * The caller's request. Its status is derived from its deliveries, see `post-status.ts`. A draft has none
 * yet.
 */
export interface Post {
  readonly id: PostId;
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly text: string;
  readonly link: string | null;
  readonly media: readonly MediaUse[];
  readonly thread: readonly ThreadItem[];
  readonly firstComment: { readonly text: string } | null;
  /** The time of the first delivery. For a draft without a requested time, its creation. */
  readonly scheduledAt: Date;
  readonly timezone: string;
  readonly notAfter: Date;
  readonly draft: boolean;
  readonly requested: PostRequest;
  readonly deliveries: readonly Delivery[];
  readonly skipped: readonly {
    readonly connectionId: ConnectionId;
    readonly platform: string;
    readonly status: string;
  }[];
  readonly externalId: string | null;
  readonly metadata: Metadata;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}
