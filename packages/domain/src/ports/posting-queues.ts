import type { ProfileId, WorkspaceId } from '../ids.js';
import type { ClaimedSlot, PostingQueue } from '../posts/queue.js';

/** The posting slots of profiles. The slot that a post has taken is stored with the post. */
export interface PostingQueues {
  find(workspaceId: WorkspaceId, profileId: ProfileId): Promise<PostingQueue | null>;
  /**
   * Creates or replaces the queue of a profile and increments its version; null where `ifVersion` is given and the
   * queue has another one, 0 for a queue that does not exist.
   */
  save(queue: Omit<PostingQueue, 'version'>, ifVersion?: number): Promise<PostingQueue | null>;
  /** The coming slots that posts have taken, ascending. A post that will not be published frees its slot. */
  listClaimed(workspaceId: WorkspaceId, profileId: ProfileId): Promise<readonly ClaimedSlot[]>;
  /**
   * The first of these slots that no post has taken and no other transaction is taking; no other one takes it until
   * this transaction ends, which stores a post with it. Waits for none of them. Null when none is left.
   */
  claim(workspaceId: WorkspaceId, profileId: ProfileId, slots: readonly Date[]): Promise<Date | null>;
  /** Frees the coming slots of the profile; the posts keep their times. */
  release(workspaceId: WorkspaceId, profileId: ProfileId): Promise<void>;
}
