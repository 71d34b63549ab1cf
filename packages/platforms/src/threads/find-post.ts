import { ok } from '@switchboard/domain';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { graphPage } from '../kit/graph.js';
import { findByContainer } from '../kit/graph-containers.js';
import type { ListedPage } from '../kit/find-recent-posts.js';
import { containerApiOf } from './media.js';
import { normalizeText } from '../kit/normalize-text.js';
import { finalText } from './rules.js';
import { requestJson, posts, type FoundPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 3;
const fields = 'id,permalink,timestamp,text,media_type,children,replied_to';

/** The account's post, or its reply, that is this item. */
export const findPost = (session: Session, item: PublishItem): AdapterResult<FoundPost | null> =>
  findByContainer(containerApiOf(session), item, {
    hasText: finalText(item).trim() !== '',
    pagesMax: PAGES_MAX,
    page: (after, since) => postsPage(session, item, since, after),
    isItem: (post) => matchesItem(post, item),
  });

async function postsPage(
  session: Session,
  { replyTo }: PublishItem,
  since: Date,
  after: string | undefined,
): AdapterResult<ListedPage<FoundPost>> {
  const listed = await requestJson(
    session,
    {
      method: 'GET',
      path: `/${encodeURIComponent(session.account.id)}/${replyTo ? 'replies' : 'threads'}`,
      query: { fields, limit: PAGE, since: Math.floor(since.getTime() / 1_000), after },
      effect: 'read',
    },
    posts,
  );
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same text in the same place, with as many media. */
const matchesItem = (post: FoundPost, item: PublishItem): boolean =>
  normalizeText(post.text ?? '') === normalizeText(finalText(item)) &&
  (post.replied_to?.id ?? null) === (item.replyTo?.parent.externalId ?? null) &&
  mediaCountOf(post) === item.mediaCount;

function mediaCountOf({ media_type: type, children }: FoundPost): number {
  if (type === 'CAROUSEL_ALBUM') return children?.data.length ?? 0;
  return type === 'IMAGE' || type === 'VIDEO' ? 1 : 0;
}
