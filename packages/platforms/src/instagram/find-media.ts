import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { outcomeOf } from '../kit/graph-containers.js';
import { ask } from './ask.js';
import { wayOf } from './media.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText, isStory } from './rules.js';
import { mediaList, type FoundMedia } from './wire.js';

type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

const PAGE = 50;
const PAGES_MAX = 4;
/** How far the clock of Instagram may be behind ours. */
export const CLOCKS_MS = 5_000;
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
  const recent = await listSince(session, isStory(item) ? 'stories' : 'media', item);
  if (!recent.ok) return recent;
  const same = recent.value.filter((one) => isItem(one, item));
  if (!hasWords && outcome.value === 'unknown' && same.length > 0)
    return refuse('platform.outcome_unknown', 'Nobody can tell whether this is what is listed.');
  if (same.length > 1)
    return refuse('platform.outcome_unknown', 'Several posts of the account have this text.');
  if (same[0] || outcome.value !== 'published') return ok(same[0] ?? null);
  return refuse('platform.unavailable', 'Instagram has published this and does not list it yet.');
}

/** The newest come first. */
async function listSince(session: Session, edge: string, item: PublishItem): Answer<readonly FoundMedia[]> {
  const since = item.createdAt.getTime() - CLOCKS_MS;
  const found: FoundMedia[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { fields, limit: PAGE, after };
    const request = { method: 'GET', path: `/${session.account.id}/${edge}`, query, effect: 'read' } as const;
    const listed = await ask(session, request, mediaList);
    if (!listed.ok) return listed;
    const { data, paging } = listed.value;
    found.push(...data);
    after = paging?.cursors?.after ?? undefined;
    const last = data.at(-1);
    const isEnd = !last || after === undefined || Date.parse(last.timestamp) < since;
    if (isEnd) return ok(found.filter(({ timestamp }) => Date.parse(timestamp) >= since));
  }
  return refuse('platform.outcome_unknown', 'The account has posted more since than can be looked through.');
}

/** The same words and as many media. A story has no words. */
const isItem = (one: FoundMedia, item: PublishItem): boolean =>
  (isStory(item) || plainWords(one.caption ?? '') === plainWords(finalText(item))) &&
  (one.media_type === 'CAROUSEL_ALBUM' ? (one.children?.data.length ?? 0) : 1) === item.mediaCount;
