import { ok, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { graphPage } from '../kit/graph.js';
import { findByContainer } from '../kit/graph-containers.js';
import type { ListedPage } from '../kit/look-back.js';
import { ask } from './ask.js';
import { wayOf } from './media.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText, isStory } from './rules.js';
import { mediaList, type FoundMedia } from './wire.js';

const PAGE = 50;
const PAGES_MAX = 4;
const fields = 'id,permalink,timestamp,caption,media_type,children';

/** The account's post, or story, that is this item. */
export const findMedia = (session: Session, item: PublishItem): Answer<FoundMedia | null> =>
  findByContainer(wayOf(session), item, {
    hasWords: !isStory(item) && finalText(item).trim() !== '',
    pagesMax: PAGES_MAX,
    page: (after) => mediaPage(session, isStory(item) ? 'stories' : 'media', after),
    isItem: (one) => isItem(one, item),
  });

async function mediaPage(
  session: Session,
  edge: string,
  after: string | undefined,
): Answer<ListedPage<FoundMedia>> {
  const query = { fields, limit: PAGE, after };
  const request = {
    method: 'GET',
    path: `/${encodeURIComponent(session.account.id)}/${edge}`,
    query,
    effect: 'read',
  } as const;
  const listed = await ask(session, request, mediaList);
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same words and as many media. A story has no words. */
const isItem = (one: FoundMedia, item: PublishItem): boolean =>
  (isStory(item) || plainWords(one.caption ?? '') === plainWords(finalText(item))) &&
  (one.media_type === 'CAROUSEL_ALBUM' ? (one.children?.data.length ?? 0) : 1) === item.mediaCount;
