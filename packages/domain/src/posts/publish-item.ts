import type { PublishItem } from '../ports/index.js';
import type { Delivery } from './post.js';

/** What a platform is given, the same at every attempt and when it is read back. */
export const publishItemOf = (delivery: Delivery): PublishItem => ({
  text: delivery.text,
  link: delivery.link,
  options: delivery.options,
  reference: `${delivery.id}.0`,
  createdAt: delivery.scheduledAt,
});
