import type { PublishedPart } from '../ports/index.js';
import type { DeliveryProgress } from '../ports/posts.js';
import type { Delivery, DeliveryPart } from './post.js';

/** How far a delivery is when this part of it is out. The first part is what the delivery is known by. */
export function withPublishedPart(
  { parts, externalId, url, publishedAt }: Delivery,
  { index }: DeliveryPart,
  published: PublishedPart,
  now: Date,
): DeliveryProgress {
  return {
    parts: parts.map((part) =>
      part.index === index ? { ...part, ...published, status: 'published' as const } : part,
    ),
    ...(index === 0
      ? { externalId: published.externalId, url: published.url, publishedAt: now }
      : { externalId, url, publishedAt }),
  };
}
