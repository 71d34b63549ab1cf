import { ok, refuse, type PublishItem, type SaveReceipt, type Session } from '@switchboard/domain';
import type { PlatformError, AdapterResult } from '../kit/platform-client.js';
import { findRecentPosts, resolveSingleMatch } from '../kit/find-recent-posts.js';
import { normalizeText } from '../kit/normalize-text.js';
import { rules } from './rules.js';
import { requestJson, thread, threads } from './wire.js';

const path = '/youtube/v3/commentThreads';
const PAGE = 100;
const PAGES_MAX = 5;
/** What YouTube may take for a link, and for spam then. */
const LINK = /:\/\/|[\p{L}\d]\.\p{L}{2}/u;

/** Puts a comment below a video of the channel's own; answers its id. */
export async function createComment(
  session: Session,
  item: PublishItem,
  videoId: string,
  saveReceipt: SaveReceipt,
): AdapterResult<string> {
  const topLevelComment = { snippet: { textOriginal: rules.finalText(item) } };
  const snippet = { channelId: session.account.id, videoId, topLevelComment };
  const put = await requestJson(
    session,
    { method: 'POST', path, query: { part: 'snippet' }, json: { snippet }, effect: 'write' },
    thread,
    explainVideoNotFound,
  );
  if (!put.ok) return put;
  const { id, snippet: shown } = put.value;
  // Left out unless the caller may see it: a comment without it is shown.
  const moderation = shown?.topLevelComment?.snippet?.moderationStatus ?? 'published';
  if (moderation === 'published') return ok(id);
  if (moderation === 'rejected') return refuse('platform.refused', 'YouTube rejected the comment.');
  await saveReceipt({ held: id });
  return heldForReview(id);
}

const heldForReview = (id: string) =>
  refuse(
    'platform.outcome_unknown',
    `YouTube has the comment ${id} and holds it for review. Approve or remove it in YouTube Studio.`,
  );

/** A video that has just been uploaded is not known to all of YouTube at once. */
export const explainVideoNotFound = ({ code }: PlatformError) =>
  code === 'videoNotFound'
    ? refuse('platform.unavailable', 'YouTube does not know the new video everywhere yet.', {
        retryAfterSeconds: 60,
      })
    : undefined;

/** The channel's own comment with these words; null: there is none. One that is held for review, for its link say, is not listed. */
export async function findComment(
  session: Session,
  item: PublishItem,
  videoId: string,
): AdapterResult<string | null> {
  const listed = await findRecentPosts(
    item,
    async (pageToken) => {
      const page = await requestJson(
        session,
        {
          method: 'GET',
          path,
          query: {
            part: 'snippet',
            videoId,
            order: 'time',
            textFormat: 'plainText',
            maxResults: PAGE,
            pageToken,
          },
          effect: 'read',
        },
        threads,
        (words) =>
          words.code === 'commentsDisabled'
            ? ok({ items: [], nextPageToken: undefined })
            : explainVideoNotFound(words),
      );
      if (!page.ok) return page;
      const { items, nextPageToken } = page.value;
      const found = items.map(({ snippet }) => snippet.topLevelComment);
      return ok({ found, next: nextPageToken ?? undefined });
    },
    { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf: ({ snippet }) => snippet.publishedAt },
  );
  if (!listed.ok) return listed;
  const similar = listed.value.filter(
    ({ snippet }) =>
      normalizeText(snippet.textOriginal ?? snippet.textDisplay ?? '') ===
      normalizeText(rules.finalText(item)),
  );
  const same = similar.filter(({ snippet }) => snippet.authorChannelId?.value === session.account.id);
  if (same.length === 0 && similar.some(({ snippet }) => !snippet.authorChannelId)) {
    return refuse('platform.outcome_unknown', 'YouTube does not say who wrote a comment with these words.');
  }
  const { held } = item.receipt;
  if (same.length === 0 && held !== undefined) return heldForReview(held);
  return same.length === 0 && LINK.test(rules.finalText(item))
    ? refuse('platform.outcome_unknown', 'YouTube may hold this comment for review, for its link.')
    : resolveSingleMatch(same.map(({ id }) => id));
}
