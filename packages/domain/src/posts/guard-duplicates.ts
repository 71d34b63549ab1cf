import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { Tx } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Delivery } from '../deliveries/delivery.js';

type GuardedContent = Pick<Delivery, 'connectionId' | 'contentDigest' | 'scheduledAt' | 'postId'>;

/**
 * Serializes posts of the same content. The locks are taken in one order, so that transactions do not
 * deadlock.
 */
export async function lockContents(
  ports: Pick<Tx, 'posts'>,
  deliveries: readonly Pick<GuardedContent, 'connectionId' | 'contentDigest'>[],
): Promise<void> {
  const sortKey = (one: Pick<GuardedContent, 'connectionId' | 'contentDigest'>) =>
    `${one.connectionId} ${one.contentDigest}`;
  const inOrder = [...deliveries].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  for (const { connectionId, contentDigest } of inOrder) {
    await ports.posts.lockContent(connectionId, contentDigest);
  }
}

/**
 * Rejects content that another post publishes to the same connection within a day. The contents are locked.
 */
export async function refuseDuplicates(
  ports: Pick<Tx, 'posts'>,
  call: Call,
  deliveries: readonly GuardedContent[],
  publishAt?: Date,
): Promise<Result<undefined, 'post.possible_duplicate'>> {
  for (const { connectionId, contentDigest, scheduledAt, postId } of deliveries) {
    const around = publishAt ?? scheduledAt;
    const duplicate = await ports.posts.findDuplicate(
      call.workspaceId,
      connectionId,
      contentDigest,
      around,
      postId,
    );
    if (duplicate) {
      return refuse(
        'post.possible_duplicate',
        'A post with the same content is published to this connection within 24 hours. Send allow_duplicate: true if that is intended.',
        { details: { id: duplicate }, next: nextCall.getPost(duplicate) },
      );
    }
  }
  return ok();
}
