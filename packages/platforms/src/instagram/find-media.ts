import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { graphPage } from '../kit/graph.js';
import { outcomeOf } from '../kit/graph-containers.js';
import { listedSince, onlyOne, type ListedPage } from '../kit/look-back.js';
import { ask } from './ask.js';
import { wayOf } from './media.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText, isStory } from './rules.js';
import { mediaList, type FoundMedia } from './wire.js';

const PAGE = 50;
const PAGES_MAX = 4;
const fields = 'id,permalink,timestamp,caption,media_type,children';

/** The account's post that is this item. Its container says whether it is out, and the account's own list which one it is. */
export async function findMedia(session: Session, item: PublishItem): Answer<FoundMedia | null> {
  const outcome = await outcomeOf(wayOf(session), item);
  if (!outcome.ok) return outcome;
  if (outcome.value === 'in_progress') {
    return refuse('platform.unavailable', 'Instagram has not decided yet what becomes of this post.');
  }
  const hasWords = !isStory(item) && finalText(item).trim() !== '';
  // Without words one is like another, and what is listed proves nothing.
  if (!hasWords && outcome.value === 'not_published') return ok(null);
  const recent = await listedSince(
    item,
    (after) => mediaPage(session, isStory(item) ? 'stories' : 'media', after),
    {
      pagesMax: PAGES_MAX,
      newestFirst: true,
      madeAt: (one) => one.timestamp,
    },
  );
  if (!recent.ok) return recent;
  const same = recent.value.filter((one) => isItem(one, item));
  if (!hasWords && outcome.value === 'unknown' && same.length > 0)
    return refuse('platform.outcome_unknown', 'Nobody can tell whether this is what is listed.');
  const only = onlyOne(same);
  if (!only.ok || only.value || outcome.value !== 'published') return only;
  return refuse('platform.unavailable', 'Instagram has published this and does not list it yet.');
}

async function mediaPage(
  session: Session,
  edge: string,
  after: string | undefined,
): Answer<ListedPage<FoundMedia>> {
  const query = { fields, limit: PAGE, after };
  const request = { method: 'GET', path: `/${session.account.id}/${edge}`, query, effect: 'read' } as const;
  const listed = await ask(session, request, mediaList);
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same words and as many media. A story has no words. */
const isItem = (one: FoundMedia, item: PublishItem): boolean =>
  (isStory(item) || plainWords(one.caption ?? '') === plainWords(finalText(item))) &&
  (one.media_type === 'CAROUSEL_ALBUM' ? (one.children?.data.length ?? 0) : 1) === item.mediaCount;
