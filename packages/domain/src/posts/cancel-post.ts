import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, preconditionFailed } from '../version.js';
import { getPost, type GetPost } from './get-post.js';
import type { Post } from './post.js';
import { statusOf } from './post-status.js';
import { recordDecision } from '../deliveries/record-decision.js';

export type CancelPost = GetPost;

/** Cancels every delivery that has not started. Cancelling a cancelled post succeeds again. */
export async function cancelPost(
  ports: Pick<AtomicPorts, 'posts' | 'deliveries' | 'events' | 'ids' | 'clock'>,
  call: Call,
  command: CancelPost,
): Promise<Result<Post, 'post.not_found' | 'post.already_published' | 'request.precondition_failed'>> {
  const found = await getPost(ports, call, command);
  if (!found.ok) return found;
  const before = await ports.posts.lock(call.workspaceId, found.value.id);
  if (!before) return notFound('post');
  if (isStale(call, before)) return preconditionFailed('post', nextCall.getPost(before.id));
  if (statusOf(before, ports.clock.now()) === 'cancelled') return ok(before);
  // A draft has nothing to stop: without deliveries it is a cancelled post.
  if (before.draft) await ports.posts.rewrite({ ...before, draft: false });
  const cancelled = await ports.deliveries.cancelUnsent(call.workspaceId, before.id);
  if (cancelled === 0 && !before.draft) {
    return refuse('post.already_published', 'Publishing has already started: nothing is left to cancel.', {
      next: nextCall.getPost(before.id),
    });
  }
  const post = (await ports.posts.find(call.workspaceId, before.id)) ?? before;
  for (const delivery of post.deliveries) {
    const earlier = before.deliveries.find(({ id }) => id === delivery.id);
    if (delivery.status === 'cancelled' && earlier?.status !== 'cancelled') {
      await recordDecision(ports, call, delivery, 'cancelled');
    }
  }
  await ports.events.append({
    workspaceId: call.workspaceId,
    type: 'post.cancelled',
    profileId: post.profileId,
    data: { post_id: post.id, cancelled_deliveries: cancelled },
  });
  return ok(post);
}
