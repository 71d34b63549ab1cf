import type { Tx } from '../ports/index.js';
import { postEvent } from './post-event.js';
import type { Post } from './post.js';

/**
 * Wakes the worker when a delivery of the posts that were just stored is due now; its sweep finds later ones
 * when they are due. Appends the events of each post: that it was created or updated, and that it is scheduled.
 */
export async function enqueuePosts(
  tx: Pick<Tx, 'jobs' | 'events'>,
  posts: readonly Post[],
  change: 'created' | 'updated',
  now: Date,
): Promise<void> {
  const due = posts.find(({ deliveries }) =>
    deliveries.some(({ status, scheduledAt }) => status === 'pending' && scheduledAt <= now),
  );
  if (due) await tx.jobs.enqueue({ name: 'deliver', workspaceId: due.workspaceId });
  for (const post of posts) {
    const event = postEvent(post, now);
    await tx.events.append({ ...event, type: `post.${change}` });
    if (event.data.status === 'scheduled') await tx.events.append({ ...event, type: 'post.scheduled' });
  }
}
