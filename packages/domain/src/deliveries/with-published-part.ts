import type { PublishedPart } from '../ports/index.js';
import type { DeliveryProgress } from '../ports/deliveries.js';
import type { Delivery, DeliveryPart } from './delivery.js';

/**
 * The progress of a delivery after this part is published. The first part determines the id and URL of the
 * delivery.
 */
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
