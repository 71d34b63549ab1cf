import { narrowPostApproval, type PostApprovalPorts } from '../approvals/post-approval.js';
import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { chooseDeliveries } from '../deliveries/choose-deliveries.js';
import { isStale, preconditionFailed } from '../version.js';
import { getPost, type GetPost } from './get-post.js';
import type { Post } from './post.js';
import { postEvent } from './post-event.js';
import { recordDecision } from '../deliveries/record-decision.js';

interface CancelPost extends GetPost {
  readonly deliveryIds?: readonly string[] | undefined;
}

type CancelPostFailure =
  | 'post.not_found'
  | 'delivery.not_found'
  | 'post.already_published'
  | 'request.precondition_failed';

/**
 * Cancels every delivery that has not started, or only the named ones. Cancelling what is cancelled succeeds
 * again.
 */
export async function cancelPost(
  ports: PostApprovalPorts & Pick<AtomicPorts, 'posts' | 'deliveries' | 'events' | 'ids' | 'clock'>,
  call: Call,
  { id, deliveryIds }: CancelPost,
): Promise<Result<Post, CancelPostFailure>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const before = await ports.posts.lock(call.workspaceId, found.value.id);
  if (!before) return notFound('post');
  if (isStale(call, before)) return preconditionFailed('post', nextCall.getPost(before.id));
  const chosen = chooseDeliveries(before, deliveryIds);
  if (!chosen.ok) return chosen;
  // A draft has nothing to stop: without deliveries it is a cancelled post.
  if (before.draft) await ports.posts.rewrite({ ...before, draft: false });
  else if (chosen.value.every(({ status }) => status === 'cancelled')) return ok(before);
  const cancelled = await ports.deliveries.cancelUnsent(
    call.workspaceId,
    before.id,
    chosen.value.map((delivery) => delivery.id),
  );
  if (cancelled.length === 0 && !before.draft) {
    return refuse('post.already_published', 'Publishing has already started: nothing is left to cancel.', {
      next: nextCall.getPost(before.id),
    });
  }
  const post = (await ports.posts.find(call.workspaceId, before.id)) ?? before;
  for (const delivery of post.deliveries)
    if (cancelled.includes(delivery.id)) await recordDecision(ports, call, delivery, 'cancelled');
  const event = postEvent(post, ports.clock.now());
  await ports.events.append({
    ...event,
    type: event.data.status === 'cancelled' ? 'post.cancelled' : 'post.updated',
    data: { ...event.data, cancelled_delivery_ids: cancelled },
  });
  return ok(await narrowPostApproval(ports, call, post));
}
