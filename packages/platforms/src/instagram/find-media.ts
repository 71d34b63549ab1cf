import { ok } from '@switchboard/domain';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { graphPage } from '../kit/graph.js';
import { findByContainer } from '../kit/graph-containers.js';
import type { ListedPage } from '../kit/find-recent-posts.js';
import { requestJson } from './client.js';
import { containerApiOf } from './media.js';
import { normalizeText } from '../kit/normalize-text.js';
import { finalText, isStory } from './rules.js';
import { mediaList, type FoundMedia } from './wire.js';

const PAGE = 50;
const PAGES_MAX = 4;
const fields = 'id,permalink,timestamp,caption,media_type,children';

/** The account's post, or story, that is this item. */
export const findMedia = (session: Session, item: PublishItem): AdapterResult<FoundMedia | null> =>
  findByContainer(containerApiOf(session), item, {
    hasText: !isStory(item) && finalText(item).trim() !== '',
    pagesMax: PAGES_MAX,
    page: (after) => mediaPage(session, isStory(item) ? 'stories' : 'media', after),
    isItem: (one) => matchesItem(one, item),
  });

async function mediaPage(
  session: Session,
  edge: string,
  after: string | undefined,
): AdapterResult<ListedPage<FoundMedia>> {
  const query = { fields, limit: PAGE, after };
  const request = {
    method: 'GET',
    path: `/${encodeURIComponent(session.account.id)}/${edge}`,
    query,
    effect: 'read',
  } as const;
  const listed = await requestJson(session, request, mediaList);
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same text and the same number of media. A story has no text. */
const matchesItem = (one: FoundMedia, item: PublishItem): boolean =>
  (isStory(item) || normalizeText(one.caption ?? '') === normalizeText(finalText(item))) &&
  (one.media_type === 'CAROUSEL_ALBUM' ? (one.children?.data.length ?? 0) : 1) === item.mediaCount;
