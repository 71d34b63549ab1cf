import { ok, refuse } from '@switchboard/domain';
import type { PublishedPart, PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { findRecentPosts, resolveSingleMatchWithOptions, type ListedPage } from '../kit/find-recent-posts.js';
import { normalizeText } from '../kit/normalize-text.js';
import { requestJson } from './client.js';
import { urlOf } from './post-status.js';
import { optionsOf, rules } from './rules.js';
import { videos, type ListedVideo } from './wire.js';

const PAGE = 20;
const PAGES_MAX = 5;
const fields = 'id,create_time,title,video_description,share_url';

/**
 * Photos whose ID never arrived, among the account's public posts. Their absence proves nothing: moderation
 * is asynchronous, and posts that are not public are never listed.
 */
export async function findPhotos(session: Session, item: PublishItem): AdapterResult<PublishedPart> {
  const words = normalizeText(rules.finalText(item));
  if (words === '' || optionsOf(item).privacy_level !== 'PUBLIC_TO_EVERYONE') {
    return refuse('platform.outcome_unknown', 'TikTok does not report whether the photos were posted.');
  }
  const recent = await findRecentPosts(item, (cursor) => listVideos(session, cursor), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: (one) => new Date(one.create_time * 1_000).toISOString(),
  });
  if (!recent.ok) return recent;
  const same = recent.value.filter(
    (one) => normalizeText(one.video_description ?? '') === words && !one.share_url?.includes('/video/'),
  );
  const only = resolveSingleMatchWithOptions(same, (one) => hasTitle(one, item));
  if (!only.ok) return only;
  if (!only.value) return refuse('platform.unavailable', 'TikTok does not list these photos yet.');
  const { id, share_url: where } = only.value;
  // Only the URL distinguishes photos from a video.
  return where?.includes('/photo/')
    ? ok({ externalId: id, url: urlOf(session, 'photo', id), receipt: {} })
    : refuse('platform.outcome_unknown', 'TikTok does not report whether a listed post is these photos.');
}

/** With the requested title. Whether TikTok shows a description or nothing in its place is undocumented. */
const hasTitle = ({ title }: ListedVideo, item: PublishItem): boolean =>
  ['', item.title ?? '', rules.finalText(item)].map(normalizeText).includes(normalizeText(title ?? ''));

async function listVideos(
  session: Session,
  cursor: string | undefined,
): AdapterResult<ListedPage<ListedVideo>> {
  const json = { max_count: PAGE, ...(cursor !== undefined && { cursor: Number(cursor) }) };
  const listed = await requestJson(
    session,
    { method: 'POST', path: '/v2/video/list/', query: { fields }, json, effect: 'read' },
    videos,
  );
  if (!listed.ok) return listed;
  const { videos: found, has_more: hasMore, cursor: next } = listed.value.data;
  return ok({ found: found ?? [], next: hasMore && next != null ? String(next) : undefined });
}
