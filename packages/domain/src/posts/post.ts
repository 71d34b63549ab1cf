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

/** Why a delivery is where it is, in our words, with the platform's quoted beside them. */
export interface DeliveryError {
  readonly code: string;
  readonly message: string;
  readonly platform?: PlatformQuote | undefined;
}

/** A picture or a film as a post uses it. */
export interface MediaUse {
  readonly mediaId: MediaId;
  /** Where the caller said it is to be fetched from; null when it was uploaded. */
  readonly url: string | null;
  readonly altText: string | null;
}

/** What one piece of a delivery says: the post itself, an answer of its thread, or its first comment. */
export interface PartContent {
  readonly kind: 'post' | 'thread' | 'comment';
  readonly title: string | null;
  readonly text: string;
  readonly link: string | null;
  readonly media: readonly MediaUse[];
}

/** One piece of a delivery and what became of it. Each answers the one before it, so that they go out in order. */
export interface DeliveryPart extends PartContent {
  readonly index: number;
  readonly status: 'pending' | 'published' | 'deleted';
  readonly externalId: string | null;
  readonly url: string | null;
  /** What only the platform's adapter reads: a record's content id to answer the part, or how far an attempt at it came. */
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
  /** Digest of normalised texts, link and media: what the duplicate guard compares. */
  readonly contentDigest: string;
  readonly scheduledAt: Date;
  readonly notAfter: Date;
  readonly attempts: number;
  /** The fence: grows with every claim, and every later write names it. */
  readonly epoch: number;
  /** How often the platform was asked about the outcome of the last attempt; also by workers that ended over it. */
  readonly readBacks: number;
  /** The post, then its thread, then its first comment. */
  readonly parts: readonly DeliveryPart[];
  readonly externalId: string | null;
  readonly url: string | null;
  readonly publishedAt: Date | null;
  readonly error: DeliveryError | null;
  readonly nextAttemptAt: Date | null;
  /** When the platform is asked once more where a part is that is out and has no URL; null when it is not. */
  readonly resolveUrlAt: Date | null;
}

/** What was tried, read back or decided, in order. Written before any byte leaves. */
export interface DeliveryAttempt {
  readonly id: AttemptId;
  readonly deliveryId: DeliveryId;
  readonly workspaceId: WorkspaceId;
  readonly epoch: number;
  readonly kind: 'attempt' | 'read_back' | 'decision' | 'state';
  readonly outcome: string;
  readonly error: DeliveryError | null;
  readonly actor: string | null;
  /** What a person said to a decision. */
  readonly note: string | null;
  readonly at: Date;
}

/** A target as it was asked for, its media found. */
export interface RequestedTarget extends Omit<DraftTarget, 'media'> {
  readonly media?: readonly MediaUse[] | undefined;
}

/** What the caller said and the rest of the post does not show: an edit begins with it, and everything is worked out anew. */
export interface PostRequest {
  readonly targets: 'all' | readonly RequestedTarget[];
  /** As it was written, also a local time; null for "now". */
  readonly scheduledAt: string | null;
  /** RFC 3339; null for the default. */
  readonly notAfter: string | null;
}

/** What follows a post in a thread. */
export interface ThreadItem {
  readonly text: string;
  readonly media: readonly MediaUse[];
}

/** What the caller asked for. Its status is derived from its deliveries, see `post-status.ts`. A draft has none yet. */
export interface Post {
  readonly id: PostId;
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly text: string;
  readonly link: string | null;
  readonly media: readonly MediaUse[];
  readonly thread: readonly ThreadItem[];
  readonly firstComment: { readonly text: string } | null;
  /** When the first delivery goes out. Of a draft for which no time was asked, when it was made. */
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
