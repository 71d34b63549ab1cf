import { actorName, type Call } from '../call.js';
import { appendDeliveryEvents } from '../deliveries/append-delivery-events.js';
import type { DeliveryError } from '../deliveries/delivery.js';
import { historyEntry } from '../deliveries/history-entry.js';
import type { PostId } from '../ids.js';
import type { Tools, Tx } from '../ports/index.js';
import type { DeliveryChanges } from '../ports/deliveries.js';
import { postEvent } from '../posts/post-event.js';
import { statusOf } from '../posts/post-status.js';
import type { Approval } from './approval.js';

const errors = {
  rejected: { code: 'approval.rejected', message: 'A person rejected the post. Nothing was published.' },
  expired: {
    code: 'approval.expired',
    message: 'No person approved the post in time. Nothing was published.',
  },
} as const satisfies Record<string, DeliveryError>;

/** Releases the deliveries that wait for this decision, or fails them. The post is locked. */
export async function settlePostDecision(
  ports: Pick<Tx, 'deliveries' | 'events' | 'jobs' | 'posts'> & Pick<Tools, 'clock' | 'ids'>,
  call: Call,
  { workspaceId, status, note, digests }: Approval,
  postId: PostId,
): Promise<void> {
  const now = ports.clock.now();
  const post = await ports.posts.find(workspaceId, postId);
  const waiting = (post?.deliveries ?? []).filter(
    (delivery) => delivery.status === 'awaiting_approval' && delivery.id in digests,
  );
  const changes: DeliveryChanges =
    status === 'rejected' || status === 'expired'
      ? { status: 'failed', error: errors[status] }
      : { status: 'pending', error: null };
  await ports.deliveries.settle(waiting.map(({ id, epoch }) => ({ id, epoch, changes })));
  const kind = status === 'expired' ? 'state' : 'decision';
  const entry = { kind, outcome: status, actor: actorName(call), note, at: now } as const;
  await ports.deliveries.insertAttempts(...waiting.map((delivery) => historyEntry(ports, delivery, entry)));
  const after = await ports.posts.find(workspaceId, postId);
  if (!after || waiting.length === 0) return;
  if (changes.status === 'failed') {
    const transitions = waiting.map((delivery) => ({ delivery, changes }));
    return appendDeliveryEvents(ports, transitions, now);
  }
  if (waiting.some(({ scheduledAt }) => scheduledAt <= now))
    await ports.jobs.enqueue({ name: 'deliver', workspaceId });
  const type = statusOf(after, now) === 'scheduled' ? 'post.scheduled' : 'post.updated';
  await ports.events.append({ ...postEvent(after, now), type });
}
