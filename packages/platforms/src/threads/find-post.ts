import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { graphPage } from '../kit/graph.js';
import { outcomeOf } from '../kit/graph-containers.js';
import { listedSince, onlyOne, type ListedPage } from '../kit/look-back.js';
import { wayOf } from './media.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText } from './rules.js';
import { ask, posts, type FoundPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 3;
const fields = 'id,permalink,timestamp,text,media_type,children,replied_to';

/** The account's post that is this item. Its container says whether it is out, and the account's own list which one it is. */
export async function findPost(session: Session, item: PublishItem): Answer<FoundPost | null> {
  const outcome = await outcomeOf(wayOf(session), item);
  if (!outcome.ok) return outcome;
  if (outcome.value === 'in_progress') {
    return refuse('platform.unavailable', 'Threads has not decided yet what becomes of this post.');
  }
  const hasWords = finalText(item).trim() !== '';
  // Without words one is like another, and what is listed proves nothing.
  if (!hasWords && outcome.value === 'not_published') return ok(null);
  const recent = await listedSince(item, (after, since) => postsPage(session, item, since, after), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    madeAt: (post) => post.timestamp,
  });
  if (!recent.ok) return recent;
  const same = recent.value.filter((post) => isItem(post, item));
  if (!hasWords && outcome.value === 'unknown' && same.length > 0)
    return refuse('platform.outcome_unknown', 'Nobody can tell whether this is what is listed.');
  const only = onlyOne(same);
  if (!only.ok || only.value || outcome.value !== 'published') return only;
  return refuse('platform.unavailable', 'Threads has published this and does not list it yet.');
}

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
      path: `/${session.account.id}/${answers ? 'replies' : 'threads'}`,
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
