import { ok, refuse, type PublishedPart, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { listedSince, onlyOne, type ListedPage } from '../kit/look-back.js';
import { plainWords } from '../kit/plain-words.js';
import { ask } from './ask.js';
import { urlOf } from './post-status.js';
import { optionsOf, rules } from './rules.js';
import { videos, type ListedVideo } from './wire.js';

const PAGE = 20;
const PAGES_MAX = 5;
const fields = 'id,create_time,video_description,share_url';

/**
 * Photos whose id never arrived, among what everybody sees of the account. That they are not there proves nothing: moderation
 * takes its time, and what not everybody may see is never listed.
 */
export async function findPhotos(session: Session, item: PublishItem): Answer<PublishedPart> {
  const recent = await listedSince(item, (cursor) => listPage(session, cursor), {
    ...{ pagesMax: PAGES_MAX, newestFirst: true },
    madeAt: (one) => new Date(one.create_time * 1_000).toISOString(),
  });
  if (!recent.ok) return recent;
  const words = plainWords(rules.finalText(item));
  const mayBeSeen = optionsOf(item).privacy_level === 'PUBLIC_TO_EVERYONE' && words !== '';
  const same = recent.value.filter(
    (one) => plainWords(one.video_description ?? '') === words && !one.share_url?.includes('/video/'),
  );
  const only = onlyOne(mayBeSeen ? same : []);
  if (!only.ok) return only;
  // Whether it is photos or a film nothing says but where it is.
  if (only.value && !only.value.share_url?.includes('/photo/')) {
    return refuse('platform.outcome_unknown', 'TikTok does not tell whether what it lists are these photos.');
  }
  if (only.value) {
    const { id } = only.value;
    return ok({ externalId: id, url: urlOf(session, 'photo', id), receipt: {} });
  }
  return mayBeSeen
    ? refuse('platform.unavailable', 'TikTok does not list these photos yet.')
    : refuse('platform.outcome_unknown', 'TikTok does not tell whether these photos were posted.');
}

async function listPage(session: Session, cursor: string | undefined): Answer<ListedPage<ListedVideo>> {
  const json = { max_count: PAGE, ...(cursor !== undefined && { cursor: Number(cursor) }) };
  const listed = await ask(
    session,
    { method: 'POST', path: '/v2/video/list/', query: { fields }, json, effect: 'read' },
    videos,
  );
  if (!listed.ok) return listed;
  const { videos: found, has_more: hasMore, cursor: next } = listed.value.data;
  return ok({ found: found ?? [], next: hasMore && next != null ? String(next) : undefined });
}
