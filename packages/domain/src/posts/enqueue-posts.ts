import type { Tx } from '../ports/index.js';
import type { Post } from './post.js';

/**
 * Wakes the worker when a delivery of the posts that were just stored is due now; its sweep finds later ones
 * when they are due. Appends the event of each scheduled post.
 */
export async function enqueuePosts(
  tx: Pick<Tx, 'jobs' | 'events'>,
  posts: readonly Post[],
  now: Date,
): Promise<void> {
  const due = posts.find(({ deliveries }) => deliveries.some(({ scheduledAt }) => scheduledAt <= now));
  if (due) await tx.jobs.enqueue({ name: 'deliver', workspaceId: due.workspaceId });
  for (const { id, workspaceId, profileId, draft, scheduledAt } of posts) {
    if (draft || scheduledAt <= now) continue;
    await tx.events.append({
      workspaceId,
      type: 'post.scheduled',
      profileId,
      data: { post_id: id, scheduled_at: scheduledAt.toISOString() },
    });
  }
}
