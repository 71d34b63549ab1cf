import { publicStatusOf, type Delivery } from '../deliveries/delivery.js';
import type { DeliveryEventData, PostEventData } from '../events/event-data.js';
import type { Post } from './post.js';
import { statusOf } from './post-status.js';

/** The public data of an event about one delivery. */
export const deliveryEventData = (delivery: Delivery): DeliveryEventData => {
  const { id, connectionId, platform, externalId, url, error } = delivery;
  return {
    delivery_id: id,
    connection_id: connectionId,
    platform,
    status: publicStatusOf(delivery),
    external_id: externalId,
    url,
    error: error && { code: error.code, message: error.message },
  };
};

/** The contents of an event about a post, without its type: enough to act on without another call. */
export const postEvent = (post: Post, now: Date) => ({
  workspaceId: post.workspaceId,
  profileId: post.profileId,
  data: {
    post_id: post.id,
    status: statusOf(post, now),
    scheduled_at: post.scheduledAt.toISOString(),
    deliveries: post.deliveries.map(deliveryEventData),
  } satisfies PostEventData,
});
