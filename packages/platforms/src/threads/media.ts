import type { PublishItem, PublishMedia, Session } from '@switchboard/platform-kit';
import {
  containerApi,
  type ContainerApi,
  type ContainerFields,
  type ContainerPlan,
} from '../graph/graph-containers.js';
import { manifest } from './manifest.js';
import { attachedLink, finalText, optionsOf } from './rules.js';
import { container } from './wire.js';

/** Threads receives the URLs of media and fetches them into a container that is not public. */
export const containerApiOf = (session: Session): ContainerApi =>
  containerApi(session, manifest.name, 'threads', 'status,error_message', container);

export function containerPlanOf(item: PublishItem): ContainerPlan {
  const [first] = item.media;
  const about = fieldsOf(item);
  if (!first) return { children: [], whole: () => ({ media_type: 'TEXT', ...about }) };
  if (item.media.length === 1) return { children: [], whole: () => ({ ...fileFields(first), ...about }) };
  return {
    children: item.media.map((one) => ({ ...fileFields(one), is_carousel_item: 'true' })),
    whole: (ids) => ({ media_type: 'CAROUSEL', children: ids.join(','), ...about }),
  };
}

function fieldsOf(item: PublishItem): ContainerFields {
  const text = finalText(item);
  const link = attachedLink(item);
  return {
    ...(text !== '' && { text }),
    ...(link !== null && { link_attachment: link }),
    ...(item.replyTo && { reply_to_id: item.replyTo.parent.externalId }),
    ...optionsOf(item),
  };
}

const fileFields = (one: PublishMedia): ContainerFields => ({
  ...(one.kind === 'image'
    ? { media_type: 'IMAGE', image_url: one.publicUrl() }
    : { media_type: 'VIDEO', video_url: one.publicUrl() }),
  ...(one.altText !== null && { alt_text: one.altText }),
});
