import type { ConnectionId, MediaId, PostId, ProfileId, WorkspaceId } from '../ids.js';
import type { PauseScope } from '../pauses/pause.js';
import type { Metadata } from '../profiles/profile.js';
import type { ApprovalState } from '../approvals/approval.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { DraftTarget } from './draft-post.js';

export const postStatuses = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'publishing',
  'needs_review',
  'published',
  'partially_published',
  'failed',
  'missed',
  'cancelled',
  'deleted',
] as const;
export type PostStatus = (typeof postStatuses)[number];

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

/** A target as it was requested, with its media resolved. */
interface RequestedTarget extends Omit<DraftTarget, 'media'> {
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
  /** A draft that takes the next free slot of the queue when it stops being a draft. */
  readonly queue?: 'next' | undefined;
  /** Null for the profile's. Missing from posts of earlier versions. */
  readonly timezone?: string | null | undefined;
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
  /** The slot of the profile's queue that it has taken; null for a time of its own. */
  readonly queueSlot: Date | null;
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
  /** The latest request for a person's approval; null where none was needed. Storage derives it. */
  readonly approval: ApprovalState | null;
  /** What holds each connection through which something is still to be sent. Storage derives it. */
  readonly holds: Readonly<Record<ConnectionId, PauseScope>>;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}
