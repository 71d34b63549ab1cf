import type { ExternalPost, PostListing } from '../analytics/external-post.js';
import type { ConnectionId, ExternalPostId, WorkspaceId } from '../ids.js';

/** The posts of accounts that were not made here, and how far they are listed. */
export interface ExternalPosts {
  listByIds(workspaceId: WorkspaceId, ids: readonly ExternalPostId[]): Promise<readonly ExternalPost[]>;
  listListings(
    workspaceId: WorkspaceId,
    connectionIds: readonly ConnectionId[],
  ): Promise<ReadonlyMap<ConnectionId, PostListing>>;
  /**
   * Records that a report requested the posts of these accounts. Metrics of posts that are no longer read,
   * because none had requested them for long, are due again.
   */
  request(workspaceId: WorkspaceId, connectionIds: readonly ConnectionId[], at: Date): Promise<void>;
  /**
   * Stores posts of one account, and how far they are listed; `requestedAt` does not change. A post that is
   * stored keeps its id. A post that a delivery of the connection has published is not stored, and is deleted
   * if it was. Returns those that are stored, in no particular order.
   */
  save(listing: PostListing, posts: readonly ExternalPost[]): Promise<readonly ExternalPost[]>;
}
