import type { Tx } from '../ports/index.js';
import type { DeliveryChanges } from '../ports/posts.js';
import type { Delivery } from './post.js';
import { postStatus } from './post-status.js';

/** What a post ends as, or waits for a person as: told when it becomes so. */
const told = ['published', 'partially_published', 'failed', 'missed', 'needs_review'] as const;

/** The events of a delivery that ended, and of its post when that ends with it. It is written already. */
export async function tellOfDelivery(
  tx: Pick<Tx, 'posts' | 'events'>,
  delivery: Delivery,
  { status, url, error }: DeliveryChanges,
  now: Date,
): Promise<void> {
  const post = await tx.posts.find(delivery.workspaceId, delivery.postId);
  if (!post) return;
  const about = { workspaceId: delivery.workspaceId, profileId: post.profileId };
  const data = {
    post_id: post.id,
    delivery_id: delivery.id,
    connection_id: delivery.connectionId,
    platform: delivery.platform,
  };
  if (status === 'published') {
    await tx.events.append({
      ...about,
      type: 'post.delivery_published',
      data: { ...data, url: url ?? null },
    });
  } else if (status === 'failed' || status === 'missed' || status === 'needs_review') {
    const { code, message } = error ?? { code: status, message: '' };
    await tx.events.append({
      ...about,
      type: 'post.delivery_failed',
      data: { ...data, error: { code, message } },
    });
  }
  const before = post.deliveries.map((one) => (one.id === delivery.id ? delivery : one));
  const outcome = told.find((one) => one === postStatus(post.deliveries, now));
  if (outcome && outcome !== postStatus(before, now)) {
    await tx.events.append({ ...about, type: `post.${outcome}`, data: { post_id: post.id } });
  }
}
