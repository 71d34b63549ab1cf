import { ok } from '@switchboard/domain';
import type { PublishItem, PublishMedia, Session } from '@switchboard/domain/ports';
import { type ContainerFields, type ContainerPlan, type ContainerApi } from '../kit/graph-containers.js';
import { findObject } from '../kit/graph-objects.js';
import { manifest } from './manifest.js';
import { attachedLink, finalText, optionsOf } from './rules.js';
import { container } from './wire.js';

/** Threads receives the URLs of media and fetches them into a container that is not public. */
export const containerApiOf = (session: Session): ContainerApi => ({
  name: manifest.name,
  createPath: `/${encodeURIComponent(session.account.id)}/threads`,
  publishPath: `/${encodeURIComponent(session.account.id)}/threads_publish`,
  async look(id) {
    const seen = await findObject(session, manifest.name, id, 'status,error_message', container);
    if (!seen.ok) return seen;
    const { status: state, error_message: reason } = seen.value ?? {};
    return ok(state === undefined ? null : { state, reason: reason ?? undefined });
  },
});

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
