import type { Tx } from '../ports/index.js';
import type { DeliveryChanges } from '../ports/deliveries.js';
import type { Delivery } from './delivery.js';
import type { Post } from '../posts/post.js';
import { deliveryEventData, postEvent } from '../posts/post-event.js';
import { postStatus } from '../posts/post-status.js';

/** The final states of a post, and the one that requires a person: each emits an event when reached. */
const announcedStatuses = ['published', 'partially_published', 'failed', 'missed', 'needs_review'] as const;

/** A delivery before and after a write. */
export interface DeliveryTransition {
  readonly delivery: Delivery;
  readonly changes: DeliveryChanges;
  /** The trace of the delivery; without it, the events belong to the trace of the running call. */
  readonly traceparent?: string | null | undefined;
}

/**
 * The events of settled deliveries, and of their posts when those settle with them. The states are already
 * written.
 */
export async function appendDeliveryEvents(
  tx: Pick<Tx, 'posts' | 'events'>,
  transitions: readonly DeliveryTransition[],
  now: Date,
): Promise<void> {
  const posts = await tx.posts.listByIds([...new Set(transitions.map(({ delivery }) => delivery.postId))]);
  for (const post of posts) {
    await appendPostEvents(
      tx,
      post,
      transitions.filter(({ delivery }) => delivery.postId === post.id),
      now,
    );
  }
}

/** For a status that was recorded without a reason. */
const noReason = { code: 'platform.outcome_unknown', message: '' } as const;

async function appendPostEvents(
  tx: Pick<Tx, 'events'>,
  post: Post,
  transitions: readonly DeliveryTransition[],
  now: Date,
): Promise<void> {
  const about = { workspaceId: post.workspaceId, profileId: post.profileId };
  for (const { delivery, changes, traceparent } of transitions) {
    const cause = { ...about, ...(traceparent && { traceparent }) };
    const written = post.deliveries.find(({ id }) => id === delivery.id);
    const data = { post_id: post.id, ...deliveryEventData(written ?? delivery) };
    const { status } = changes;
    if (status === 'published') {
      await tx.events.append({ ...cause, type: 'post.delivery_published', data });
    } else if (status === 'failed' || status === 'missed' || status === 'needs_review') {
      const error = data.error ?? noReason;
      await tx.events.append({ ...cause, type: 'post.delivery_failed', data: { ...data, error } });
    }
  }
  const before = post.deliveries.map(
    (one) => transitions.find(({ delivery }) => delivery.id === one.id)?.delivery ?? one,
  );
  const outcome = announcedStatuses.find((one) => one === postStatus(post.deliveries, now));
  if (outcome && outcome !== postStatus(before, now)) {
    const traceparent = transitions.at(-1)?.traceparent;
    const event = { ...postEvent(post, now), ...(traceparent && { traceparent }) };
    await tx.events.append({ ...event, type: `post.${outcome}` });
  }
}
