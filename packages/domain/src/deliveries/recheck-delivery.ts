import { actorName, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { ok, type Result } from '../result.js';
import { chooseDeliveries } from './choose-deliveries.js';
import type { DeliveryPorts } from './deliver.js';
import { getPost } from '../posts/get-post.js';
import type { Post } from '../posts/post.js';
import { readBackDelivery } from './read-back-delivery.js';
import { recordDecision } from './record-decision.js';

interface RecheckDelivery {
  readonly id: string;
  readonly deliveryId: string;
}

/**
 * Queries the platform now. A delivery with a known outcome, or of a platform without read-back, stays
 * unchanged.
 */
export async function recheckDelivery(
  ports: DeliveryPorts,
  call: Call,
  { id, deliveryId }: RecheckDelivery,
): Promise<Result<Post, 'post.not_found' | 'delivery.not_found'>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const post = found.value;
  const chosen = chooseDeliveries(post, [deliveryId]);
  if (!chosen.ok) return chosen;
  const [delivery] = chosen.value;
  if (!delivery) return notFound('delivery');
  if (!ports.platforms.find(delivery.platform)?.publishing?.find) return ok(post);

  await ports.transactions.run<undefined, never>(async (tx) => {
    const locked = await tx.posts.lock(post.workspaceId, post.id);
    const current = locked?.deliveries.find((one) => one.id === delivery.id);
    if (current?.status !== 'unknown' && current?.status !== 'needs_review') return ok();
    await recordDecision({ ...ports, deliveries: tx.deliveries }, call, current, 'recheck');
    // Reset to `unknown`, it can be claimed like any other.
    if (current.status === 'needs_review') {
      const { id, epoch } = current;
      // Requested by a person: the limit of read-backs applies to the worker only.
      const changes = { status: 'unknown', nextAttemptAt: null, readBacks: 0 } as const;
      await tx.deliveries.settle([{ id, epoch, changes }]);
    }
    return ok();
  });
  const work = { workspaceId: post.workspaceId, deliveryId: delivery.id };
  await readBackDelivery(ports, work, call.signal, actorName(call));
  return ok((await ports.posts.find(post.workspaceId, post.id)) ?? post);
}
