import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import type { DeliveryChanges } from '../ports/deliveries.js';
import type { Delivery, DeliveryError } from './delivery.js';
import { ok, type Result } from '../result.js';
import { chooseDeliveries } from './choose-deliveries.js';
import { getPost } from '../posts/get-post.js';
import type { Post } from '../posts/post.js';
import { nextPart } from './publish-item.js';
import { recordDecision } from './record-decision.js';
import { appendDeliveryEvents } from './append-delivery-events.js';

export interface ResolveDelivery {
  readonly id: string;
  readonly deliveryId: string;
  readonly outcome: 'published' | 'not_published';
  readonly url?: string | undefined;
  readonly note: string;
}

/**
 * A person has checked the account and resolves a delivery with unknown outcome. A concurrent read-back is
 * fenced off.
 */
export async function resolveDelivery(
  ports: Pick<AtomicPorts, 'posts' | 'deliveries' | 'events' | 'ids' | 'clock'>,
  call: Call,
  { id, deliveryId, ...decision }: ResolveDelivery,
): Promise<Result<Post, 'post.not_found' | 'delivery.not_found' | 'delivery.settled'>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const post = await ports.posts.lock(call.workspaceId, found.value.id);
  if (!post) return notFound('post');
  const chosen = chooseDeliveries(post, [deliveryId]);
  if (!chosen.ok) return chosen;
  const [delivery] = chosen.value;
  if (!delivery) return notFound('delivery');
  if (delivery.status !== 'unknown' && delivery.status !== 'needs_review') {
    return refuse(
      'delivery.settled',
      `Only a delivery with unknown outcome can be resolved. This one is ${delivery.status}.`,
      { next: nextCall.getPost(post.id) },
    );
  }
  const now = ports.clock.now();
  const changes = applyDecision(delivery, decision, now);
  await ports.deliveries.settle([{ id: delivery.id, epoch: delivery.epoch, changes }]);
  await recordDecision(
    ports,
    call,
    { ...delivery, epoch: delivery.epoch + 1 },
    decision.outcome,
    decision.note,
  );
  await appendDeliveryEvents(ports, [{ delivery, changes }], now);
  return ok((await ports.posts.find(call.workspaceId, post.id)) ?? post);
}

function applyDecision(
  delivery: Delivery,
  { outcome, url }: Pick<ResolveDelivery, 'outcome' | 'url'>,
  publishedAt: Date,
): DeliveryChanges {
  const { epoch, parts } = delivery;
  const unresolvedPart = nextPart(delivery);
  if (outcome === 'not_published') {
    const error: DeliveryError = {
      code: 'delivery.not_published',
      message: 'Resolved manually as not published.',
    };
    return { status: 'failed', error, nextAttemptAt: null, restoredAt: null, epoch: epoch + 1 };
  }
  return {
    status: 'published',
    // The decision covers the whole delivery. The URL belongs to the part whose outcome was unknown.
    parts: parts.map((part) => ({
      ...part,
      status: part.status === 'pending' ? 'published' : part.status,
      url: part === unresolvedPart ? (url ?? null) : part.url,
    })),
    url: unresolvedPart?.index === 0 ? (url ?? null) : delivery.url,
    publishedAt: delivery.publishedAt ?? publishedAt,
    error: null,
    nextAttemptAt: null,
    restoredAt: null,
    epoch: epoch + 1,
  };
}
