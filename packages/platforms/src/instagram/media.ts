import type { PublishItem, PublishMedia, Session } from '@switchboard/platform-kit';
import {
  containerApi,
  type ContainerApi,
  type ContainerFields,
  type ContainerPlan,
} from '../graph/graph-containers.js';
import { manifest } from './manifest.js';
import { finalText, isStory, sharesToFeed } from './rules.js';
import { container } from './wire.js';

/** Instagram receives the URLs of media and fetches them into a container that is not public. */
export const containerApiOf = (session: Session): ContainerApi =>
  containerApi(session, manifest.name, 'media', 'status_code,status', container);

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
