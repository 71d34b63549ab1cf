import type { LinkCard, PublishedPart, PublishItem, PublishMedia } from '../ports/index.js';
import type { Delivery, DeliveryPart } from './post.js';

/** The part that goes out next; none when all are out. */
export const nextPart = ({ parts }: Pick<Delivery, 'parts'>): DeliveryPart | undefined =>
  parts.find(({ status }) => status === 'pending');

/** What a platform is given of a part, the same at every attempt and when it is read back; its media are opened only to be sent. */
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
  // No two parts bear one time: where a platform puts posts in order, theirs is the order they are read in.
  createdAt: new Date(delivery.scheduledAt.getTime() + part.index),
  media,
  mediaCount: part.media.length,
  card,
  replyTo: replyToOf(delivery.parts, part),
  receipt: part.receipt,
});

/** A thread goes on where it ended; a comment is put below the post itself. */
function replyToOf(parts: readonly DeliveryPart[], { index, kind }: DeliveryPart): PublishItem['replyTo'] {
  if (kind === 'post') return null;
  const root = toPublishedPart(parts[0]);
  return { root, parent: kind === 'comment' ? root : toPublishedPart(parts[index - 1]) };
}

function toPublishedPart(part: DeliveryPart | undefined): PublishedPart {
  if (part?.externalId == null) throw new Error('a part is to go out before the one that it answers');
  const { externalId, url, receipt } = part;
  return { externalId, url, receipt };
}
