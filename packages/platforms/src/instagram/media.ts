import { ok } from '@switchboard/domain';
import type { PublishItem, PublishMedia, Session } from '@switchboard/domain/ports';
import { type ContainerFields, type ContainerPlan, type ContainerApi } from '../kit/graph-containers.js';
import { findObject } from '../kit/graph-objects.js';
import { manifest } from './manifest.js';
import { finalText, isStory, sharesToFeed } from './rules.js';
import { container } from './wire.js';

/** Instagram receives the URLs of media and fetches them into a container that is not public. */
export const containerApiOf = (session: Session): ContainerApi => ({
  name: manifest.name,
  createPath: `/${encodeURIComponent(session.account.id)}/media`,
  publishPath: `/${encodeURIComponent(session.account.id)}/media_publish`,
  async look(id) {
    const seen = await findObject(session, manifest.name, id, 'status_code,status', container);
    if (!seen.ok) return seen;
    const { status_code: state, status: reason } = seen.value ?? {};
    return ok(state === undefined ? null : { state, reason: reason ?? undefined });
  },
});

export function containerPlanOf(item: PublishItem): ContainerPlan {
  const [first] = item.media;
  const caption = finalText(item);
  const about = caption === '' ? {} : { caption };
  // A post without media is refused by Instagram, with its own message.
  if (!first) return { children: [], whole: () => about };
  if (isStory(item)) {
    const story = { ...fileFields({ ...first, altText: null }), media_type: 'STORIES' };
    return { children: [], whole: () => story };
  }
  if (item.media.length === 1) {
    return { children: [], whole: () => ({ ...fileFields(first), ...reelFields(first, item), ...about }) };
  }
  return {
    children: item.media.map((one) => ({
      ...fileFields(one),
      ...(one.kind === 'video' && { media_type: 'VIDEO' }),
      is_carousel_item: 'true',
    })),
    whole: (ids) => ({ media_type: 'CAROUSEL', children: ids.join(','), ...about }),
  };
}

/** A single video is a reel. */
function reelFields({ kind }: PublishMedia, item: PublishItem): ContainerFields {
  if (kind !== 'video') return {};
  const shares = sharesToFeed(item);
  return { media_type: 'REELS', ...(shares !== undefined && { share_to_feed: String(shares) }) };
}

/** Only images of posts may have alternative text. */
const fileFields = (one: Pick<PublishMedia, 'kind' | 'altText' | 'publicUrl'>): ContainerFields =>
  one.kind === 'image'
    ? { image_url: one.publicUrl(), ...(one.altText !== null && { alt_text: one.altText }) }
    : { video_url: one.publicUrl() };
