import type { Post, PostStatus } from './post.js';
import { unsentStatuses, type Delivery, type DeliveryStatus } from '../deliveries/delivery.js';
import type { PauseScope } from '../pauses/pause.js';

const unsettled: readonly DeliveryStatus[] = [
  'awaiting_approval',
  'pending',
  'sending',
  'retrying',
  'blocked',
  'unknown',
];

/**
 * The status of a post is derived from its deliveries and the time. Storage may keep the part that no longer
 * depends on the time, so that posts can be filtered by it: it is written with the deliveries, never by a
 * caller.
 */
export function postStatus(
  deliveries: readonly Pick<Delivery, 'status' | 'scheduledAt' | 'publishedAt'>[],
  now: Date,
): PostStatus {
  const has = (status: DeliveryStatus) => deliveries.some((delivery) => delivery.status === status);
  const all = (status: DeliveryStatus) =>
    deliveries.length > 0 && deliveries.every((delivery) => delivery.status === status);

  if (has('needs_review')) return 'needs_review';
  if (has('awaiting_approval')) return 'awaiting_approval';
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

/** Its first part is published, and the rest of its thread is not. */
const isPartiallyPublished = ({ status, publishedAt }: Pick<Delivery, 'status' | 'publishedAt'>) =>
  (status === 'failed' || status === 'missed') && publishedAt !== null;

/** A draft has no deliveries from which to derive a status. */
export const statusOf = ({ draft, deliveries }: Pick<Post, 'draft' | 'deliveries'>, now: Date): PostStatus =>
  draft ? 'draft' : postStatus(deliveries, now);

const unattempted: readonly DeliveryStatus[] = ['awaiting_approval', 'pending', 'blocked', 'cancelled'];

/** A delivery that no person approved was not attempted, and its post can be changed and requested again. */
const wasNotApproved = ({ status, attempts, error }: Pick<Delivery, 'status' | 'attempts' | 'error'>) =>
  status === 'failed' &&
  attempts === 0 &&
  (error?.code === 'approval.rejected' || error?.code === 'approval.expired');

/** Whether an attempt was made at any delivery, or the post was cancelled: it is then immutable. */
export const hasBegun = ({ draft, deliveries }: Pick<Post, 'draft' | 'deliveries'>): boolean =>
  !draft &&
  (deliveries.every(({ status }) => status === 'cancelled') ||
    deliveries.some(
      (delivery) =>
        !(unattempted.includes(delivery.status) || wasNotApproved(delivery)) ||
        delivery.parts.some((part) => part.status !== 'pending'),
    ));

/** Whether an edit of what is published is under way, and nothing holds it. */
export const isEditing = ({ deliveries, holds }: Pick<Post, 'deliveries' | 'holds'>): boolean =>
  deliveries.some((one) => one.edit !== null && heldByOf({ holds }, one) === null);

/** The pause that holds a delivery of the post; null also for one that was sent. */
export const heldByOf = (
  { holds }: Pick<Post, 'holds'>,
  { connectionId, status, edit }: Pick<Delivery, 'connectionId' | 'status' | 'edit'>,
): PauseScope | null => (isToSend({ status, edit }) ? (holds[connectionId] ?? null) : null);

/** Whether something of the delivery is still to be sent: the post, or an edit of it. */
export const isToSend = ({ status, edit }: Pick<Delivery, 'status' | 'edit'>): boolean =>
  unsentStatuses.includes(status) || edit !== null;

/** Whether it can no longer change automatically. */
export const isSettled = (status: PostStatus): boolean =>
  status !== 'scheduled' && status !== 'publishing' && status !== 'awaiting_approval';

/** Whether every open delivery waits for a person: to reconnect an account, or to resume what is paused. */
export function isBlocked({
  draft,
  deliveries,
  holds,
}: Pick<Post, 'draft' | 'holds'> & {
  readonly deliveries: readonly Pick<Delivery, 'status' | 'connectionId'>[];
}): boolean {
  const open = deliveries.filter(({ status }) => unsettled.includes(status));
  return (
    !draft &&
    open.length > 0 &&
    open.every((one) => one.status === 'blocked' || heldByOf({ holds }, { ...one, edit: null }) !== null)
  );
}
