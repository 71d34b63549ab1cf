import type { AttemptId, ConnectionId, DeliveryId, PostId, ProfileId, WorkspaceId } from '../ids.js';
import type { PlatformWords } from '../failure.js';
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
  readonly platform?: PlatformWords | undefined;
}

/** One published piece of a delivery: a post is one part, a thread several. */
export interface DeliveryPart {
  readonly index: number;
  readonly status: 'pending' | 'published' | 'deleted';
  readonly externalId: string | null;
  readonly url: string | null;
  /** What only the platform's adapter reads (a record's content id, say), to answer or delete the part later. */
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
  /** The text for this target, after overrides. */
  readonly text: string;
  readonly link: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  /** Digest of normalised text, link and media: what the duplicate guard compares. */
  readonly contentDigest: string;
  readonly scheduledAt: Date;
  readonly notAfter: Date;
  readonly attempts: number;
  /** The fence: grows with every claim, and every later write names it. */
  readonly epoch: number;
  readonly parts: readonly DeliveryPart[];
  readonly externalId: string | null;
  readonly url: string | null;
  readonly publishedAt: Date | null;
  readonly error: DeliveryError | null;
  readonly nextAttemptAt: Date | null;
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

/** What the caller said and the rest of the post does not show: an edit begins with it, and everything is worked out anew. */
export interface Asked {
  readonly targets: 'all' | readonly DraftTarget[];
  /** As it was written, also a local time; null for "now". */
  readonly scheduledAt: string | null;
  /** RFC 3339; null for the default. */
  readonly notAfter: string | null;
}

/** What the caller asked for. Its status is derived from its deliveries, see `post-status.ts`. A draft has none yet. */
export interface Post {
  readonly id: PostId;
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly text: string;
  readonly link: string | null;
  /** When the first delivery goes out. Of a draft for which no time was asked, when it was made. */
  readonly scheduledAt: Date;
  readonly timezone: string;
  readonly notAfter: Date;
  readonly draft: boolean;
  readonly asked: Asked;
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
