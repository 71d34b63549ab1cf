import type { Delivery, DeliveryStatus, Post, PostStatus } from './post.js';

const unsettled: readonly DeliveryStatus[] = ['pending', 'sending', 'retrying', 'blocked', 'unknown'];

/**
 * The status of a post follows from its deliveries and the time. Storage may keep the part that no longer depends on the time,
 * so that posts are found by it: it is written where deliveries are, never by a caller.
 */
export function postStatus(
  deliveries: readonly Pick<Delivery, 'status' | 'scheduledAt' | 'publishedAt'>[],
  now: Date,
): PostStatus {
  const has = (status: DeliveryStatus) => deliveries.some((delivery) => delivery.status === status);
  const all = (status: DeliveryStatus) =>
    deliveries.length > 0 && deliveries.every((delivery) => delivery.status === status);

  if (has('needs_review')) return 'needs_review';
  const open = deliveries.filter(({ status }) => unsettled.includes(status));
  if (open.some(({ status, scheduledAt }) => status !== 'pending' || scheduledAt <= now)) return 'publishing';
  if (open.length > 0) return 'scheduled';
  if (all('published')) return 'published';
  if (all('cancelled')) return 'cancelled';
  if (has('published') || deliveries.some(isPartiallyPublished)) return 'partially_published';
  if (has('failed')) return 'failed';
  if (has('missed')) return 'missed';
  return has('deleted') ? 'deleted' : 'cancelled';
}

/** Its post is out, and the rest of its thread is not. */
const isPartiallyPublished = ({ status, publishedAt }: Pick<Delivery, 'status' | 'publishedAt'>) =>
  (status === 'failed' || status === 'missed') && publishedAt !== null;

/** A draft has no deliveries whose status could be told. */
export const statusOf = ({ draft, deliveries }: Pick<Post, 'draft' | 'deliveries'>, now: Date): PostStatus =>
  draft ? 'draft' : postStatus(deliveries, now);

const unattempted: readonly DeliveryStatus[] = ['pending', 'blocked', 'cancelled'];

/** Whether an attempt was made at any delivery, or the whole was called off: it then stays as it is. */
export const hasBegun = ({ draft, deliveries }: Pick<Post, 'draft' | 'deliveries'>): boolean =>
  !draft &&
  (deliveries.every(({ status }) => status === 'cancelled') ||
    deliveries.some(
      ({ status, parts }) => !unattempted.includes(status) || parts.some((part) => part.status !== 'pending'),
    ));

/** Whether anything can still happen to it by itself. */
export const isSettled = (status: PostStatus): boolean => status !== 'scheduled' && status !== 'publishing';

/** Whether all that is left of it waits for a person, who has to connect an account again. */
export function isBlocked({
  draft,
  deliveries,
}: {
  readonly draft: boolean;
  readonly deliveries: readonly Pick<Delivery, 'status'>[];
}): boolean {
  const open = deliveries.filter(({ status }) => unsettled.includes(status));
  return !draft && open.length > 0 && open.every(({ status }) => status === 'blocked');
}
