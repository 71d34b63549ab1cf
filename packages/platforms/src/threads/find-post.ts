import { ok, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { graphPage } from '../kit/graph.js';
import { findByContainer } from '../kit/graph-containers.js';
import type { ListedPage } from '../kit/look-back.js';
import { wayOf } from './media.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText } from './rules.js';
import { ask, posts, type FoundPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 3;
const fields = 'id,permalink,timestamp,text,media_type,children,replied_to';

/** The account's post, or its answer to one, that is this item. */
export const findPost = (session: Session, item: PublishItem): Answer<FoundPost | null> =>
  findByContainer(wayOf(session), item, {
    hasWords: finalText(item).trim() !== '',
    pagesMax: PAGES_MAX,
    page: (after, since) => postsPage(session, item, since, after),
    isItem: (post) => isItem(post, item),
  });

async function postsPage(
  session: Session,
  { answers }: PublishItem,
  since: Date,
  after: string | undefined,
): Answer<ListedPage<FoundPost>> {
  const listed = await ask(
    session,
    {
      method: 'GET',
      path: `/${encodeURIComponent(session.account.id)}/${answers ? 'replies' : 'threads'}`,
      query: { fields, limit: PAGE, since: Math.floor(since.getTime() / 1_000), after },
      effect: 'read',
    },
    posts,
  );
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same words in the same place, with as many media. */
const isItem = (post: FoundPost, item: PublishItem): boolean =>
  plainWords(post.text ?? '') === plainWords(finalText(item)) &&
  (post.replied_to?.id ?? null) === (item.answers?.parent.externalId ?? null) &&
  mediaCountOf(post) === item.mediaCount;

function mediaCountOf({ media_type: type, children }: FoundPost): number {
  if (type === 'CAROUSEL_ALBUM') return children?.data.length ?? 0;
  return type === 'IMAGE' || type === 'VIDEO' ? 1 : 0;
}
