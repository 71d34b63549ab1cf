import type { Tx } from '../ports/index.js';
import type { Post } from './post.js';

/** Enqueues the jobs of a post that was just stored, and appends the event of a scheduled one. */
export async function enqueuePost(tx: Pick<Tx, 'jobs' | 'events'>, post: Post, now: Date): Promise<void> {
  const { workspaceId } = post;
  for (const { id, scheduledAt } of post.deliveries) {
    const job = { name: 'deliver', workspaceId, deliveryId: id } as const;
    await tx.jobs.enqueue(job, scheduledAt > now ? { startAfter: scheduledAt } : {});
  }
  if (!post.draft && post.scheduledAt > now) {
    await tx.events.append({
      workspaceId,
      type: 'post.scheduled',
      profileId: post.profileId,
      data: { post_id: post.id, scheduled_at: post.scheduledAt.toISOString() },
    });
  }
}
