import type { LinkCard, PublishedPart, PublishItem, PublishMedia } from '../ports/index.js';
import type { Delivery, DeliveryPart } from './delivery.js';

/** The next part to publish; none when all are published. */
export const nextPart = ({ parts }: Pick<Delivery, 'parts'>): DeliveryPart | undefined =>
  parts.find(({ status }) => status === 'pending');

/**
 * The adapter's view of a part, the same for every attempt and read-back; media are opened only for sending.
 */
export const publishItemOf = (
  delivery: Delivery,
  part: DeliveryPart,
  media: readonly PublishMedia[] = [],
  card: LinkCard | null = null,
): PublishItem => ({
  kind: part.kind,
  title: part.title,
  text: part.text,
  link: part.link,
  options: delivery.options,
  reference: `${delivery.id}.${part.index}`,
  // No two parts have the same timestamp: where a platform sorts posts by it, the order of the thread is
  // kept.
  createdAt: new Date(delivery.scheduledAt.getTime() + part.index),
  media,
  mediaCount: part.media.length,
  card,
  replyTo: replyToOf(delivery.parts, part),
  receipt: part.receipt,
  isReceiptOutdated: delivery.restoredAt !== null,
});

/** A thread continues at its end; a comment replies to the post itself. */
function replyToOf(parts: readonly DeliveryPart[], { index, kind }: DeliveryPart): PublishItem['replyTo'] {
  if (kind === 'post') return null;
  const root = toPublishedPart(parts[0]);
  return { root, parent: kind === 'comment' ? root : toPublishedPart(parts[index - 1]) };
}

export function toPublishedPart(part: DeliveryPart | undefined): PublishedPart {
  if (part?.externalId == null) throw new Error('a part must not be published before its parent');
  const { externalId, url, receipt } = part;
  return { externalId, url, receipt };
}
