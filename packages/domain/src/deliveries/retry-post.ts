import {
  findPostApprovalContext,
  holdForApproval,
  updatePostApproval,
  type PostApprovalPorts,
} from '../approvals/post-approval.js';
import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { chooseDeliveries } from './choose-deliveries.js';
import { getPost, type GetPost } from '../posts/get-post.js';
import { lockContents, refuseDuplicates } from '../posts/guard-duplicates.js';
import type { Post } from '../posts/post.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import { recordDecision } from './record-decision.js';
import { GRACE_MS } from '../posts/schedule.js';

export interface RetryPost extends GetPost {
  readonly deliveryIds?: readonly string[] | undefined;
  readonly allowDuplicate?: boolean | undefined;
}
type RetryPostFailure =
  | 'post.not_found'
  | 'delivery.not_found'
  | 'post.outcome_unknown'
  | 'post.already_published'
  | 'post.cancelled'
  | 'post.possible_duplicate';

const notSent: readonly DeliveryStatus[] = ['failed', 'missed'];
const uncertain: readonly DeliveryStatus[] = ['unknown', 'needs_review'];

/**
 * Sends failed and missed deliveries again, and nothing else. A delivery that may have been published is
 * never sent by this. Where an approval is required, they wait for one, unless exactly this delivery was approved
 * and its publish window has not ended.
 */
export async function retryPost(
  ports: PostApprovalPorts & Pick<AtomicPorts, 'posts' | 'deliveries' | 'jobs' | 'ids' | 'clock'>,
  call: Call,
  { id, deliveryIds, allowDuplicate }: RetryPost,
): Promise<Result<Post, RetryPostFailure>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const post = await ports.posts.lock(call.workspaceId, found.value.id);
  if (!post) return notFound('post');
  const chosen = chooseDeliveries(post, deliveryIds);
  if (!chosen.ok) return chosen;
  const retryable = chosen.value.filter(({ status }) => notSent.includes(status));
  const uncertainDelivery = chosen.value.find(({ status }) => uncertain.includes(status));
  if (uncertainDelivery && (deliveryIds !== undefined || retryable.length === 0)) {
    return refuse(
      'post.outcome_unknown',
      'The post may already be published. Recheck the delivery before you send it again.',
      { next: nextCall.recheckDelivery(post.id, uncertainDelivery.id), fallback: nextCall.getPost(post.id) },
    );
  }
  if (retryable.length === 0) {
    const next = nextCall.getPost(post.id);
    return chosen.value.length > 0 && chosen.value.every(({ status }) => status === 'cancelled')
      ? refuse('post.cancelled', 'The post was cancelled: create a new one.', { next })
      : refuse('post.already_published', 'No delivery of this post failed or was missed.', { next });
  }
  if (!allowDuplicate) {
    await lockContents(ports, retryable);
    const unique = await refuseDuplicates(ports, call, retryable, ports.clock.now());
    if (!unique.ok) return unique;
  }
  const context = await findPostApprovalContext(ports, call, post);
  const wasApproved = context.earlier?.status === 'approved';
  const isWithinWindow = ({ notAfter }: Delivery) => wasApproved && notAfter > ports.clock.now();
  const pending = retryable.map((delivery): Delivery => {
    const until = ports.clock.after(GRACE_MS);
    const notAfter = until > delivery.notAfter && !isWithinWindow(delivery) ? until : delivery.notAfter;
    return { ...delivery, status: 'pending', error: null, nextAttemptAt: null, notAfter };
  });
  const { deliveries: resent } = holdForApproval(ports, { ...post, deliveries: pending }, context);
  for (const { id, epoch, status, error, nextAttemptAt, notAfter } of resent) {
    const changes = { status, error, nextAttemptAt, notAfter, epoch: epoch + 1 };
    await ports.deliveries.settle([{ id, epoch, changes }]);
    await recordDecision(ports, call, { id, workspaceId: post.workspaceId, epoch: epoch + 1 }, 'retry');
  }
  await ports.jobs.enqueue({ name: 'deliver', workspaceId: post.workspaceId });
  const after = (await ports.posts.find(call.workspaceId, post.id)) ?? post;
  return ok(await updatePostApproval(ports, call, after, context));
}
