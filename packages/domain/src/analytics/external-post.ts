import type { ConnectionId, ExternalPostId, WorkspaceId } from '../ids.js';

/** A post of a connected account that was not made here. Its text is what the platform returned. */
export interface ExternalPost {
  readonly id: ExternalPostId;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly externalId: string;
  readonly publishedAt: Date;
  readonly url: string | null;
  /** The first 500 characters at most. */
  readonly text: string;
}

/**
 * How far the posts of an account are listed. Those from `knownSince` to `listedAt` are known; both are null
 * before the first list.
 */
export interface PostListing {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  /** When a report last requested posts made elsewhere. */
  readonly requestedAt: Date;
  readonly listedAt: Date | null;
  readonly knownSince: Date | null;
  /** The platform's cursor to the posts before `knownSince`; null where no older ones are listed. */
  readonly resumeCursor: string | null;
  /** The number of listed posts since `knownSince`, including those made here. */
  readonly listedCount: number;
  /** The platform lists no older posts, although they may exist. */
  readonly limited: boolean;
}

/** Known since then: all posts of the account. */
export const BEFORE_ALL_POSTS = new Date(0);
