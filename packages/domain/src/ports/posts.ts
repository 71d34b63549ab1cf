import type { ConnectionId, PostId, ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Metadata } from '../profiles/profile.js';
import type { Post, PostStatus } from '../posts/post.js';

/** Posts with their deliveries. */
export interface Posts {
  find(workspaceId: WorkspaceId, id: PostId): Promise<Post | null>;
  list(workspaceId: WorkspaceId, filter: PostFilter, page: PageRequest): Promise<Rows<Post>>;
  /** For the worker, across workspaces. In no order. */
  listByIds(ids: readonly PostId[]): Promise<readonly Post[]>;
  /**
   * A live delivery (not failed, missed, cancelled or deleted) with this content on this connection,
   * scheduled within a day of `around`, of any post except `except`.
   */
  findDuplicate(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    contentDigest: string,
    around: Date,
    except?: PostId,
  ): Promise<PostId | null>;
  /**
   * Serializes posts of the same content to the same connection until the transaction ends, so that the
   * duplicate guard of the second sees the first.
   */
  lockContent(connectionId: ConnectionId, contentDigest: string): Promise<void>;
  insert(post: Post): Promise<void>;
  /**
   * Reads a post and locks it and its deliveries until the transaction ends: no other transaction claims,
   * settles or changes them meanwhile.
   */
  lock(workspaceId: WorkspaceId, id: PostId): Promise<Post | null>;
  /**
   * Writes a locked post and increments its version: deliveries are matched by id, missing ones are deleted
   * with their history, and the epoch of the remaining ones is incremented, which fences off a worker that
   * still holds one. Creation fields are not rewritten.
   */
  rewrite(post: Post): Promise<void>;
}

export interface PostFilter {
  readonly reach: readonly ProfileId[] | null;
  readonly profileId?: ProfileId | undefined;
  readonly connectionId?: ConnectionId | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly statuses?: readonly PostStatus[] | undefined;
  /** Times and account match on one delivery; the times of a draft on the post. */
  readonly scheduledAfter?: Date | undefined;
  readonly scheduledBefore?: Date | undefined;
  readonly publishedAfter?: Date | undefined;
  readonly publishedBefore?: Date | undefined;
  readonly externalId?: string | undefined;
  /** All of these keys with exactly these values. */
  readonly metadata?: Metadata | undefined;
  readonly sort: 'scheduled_at' | '-created_at';
}
