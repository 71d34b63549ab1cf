import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, stale } from '../version.js';
import { getPost, type GetPost } from './get-post.js';
import type { Post } from './post.js';
import { postStatus } from './post-status.js';

export type CancelPost = GetPost;

/** Stops every delivery that has not begun. A post that was cancelled before is a success again. */
export async function cancelPost(
  ports: Pick<AtomicPorts, 'posts' | 'events' | 'clock'>,
  call: Call,
  command: CancelPost,
): Promise<Result<Post, 'post.not_found' | 'post.already_published' | 'request.precondition_failed'>> {
  const found = await getPost(ports, call, command);
  if (!found.ok) return found;
  const before = found.value;
  if (isStale(call, before)) return stale('post');
  if (postStatus(before.deliveries, ports.clock.now()) === 'cancelled') return ok(before);
  const cancelled = await ports.posts.cancelUnsent(call.workspaceId, before.id);
  if (cancelled === 0) {
    return refuse('post.already_published', 'Publishing has begun: there is nothing left to cancel.');
  }
  const post = (await ports.posts.find(call.workspaceId, before.id)) ?? before;
  await ports.events.append({
    workspaceId: call.workspaceId,
    type: 'post.cancelled',
    profileId: post.profileId,
    data: { post_id: post.id, cancelled_deliveries: cancelled },
  });
  return ok(post);
}
