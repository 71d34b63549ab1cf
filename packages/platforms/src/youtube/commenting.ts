import { ok, refuse, type PublishItem, type SaveReceipt, type Session } from '@switchboard/platform-kit';
import type { PlatformError, AdapterResult } from '@switchboard/platform-kit/platform-client';
import { findRecentPosts, resolveSingleMatch } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { rules } from './rules.js';
import { identifiedComments, requestJson, thread, threads, writtenComments } from './wire.js';

const path = '/youtube/v3/commentThreads';
const PAGE = 100;
const PAGES_MAX = 5;
/** Text that YouTube may treat as a link, and therefore as spam. */
const LINK = /:\/\/|[\p{L}\d]\.\p{L}{2}/u;

/** Adds a comment to a video of the channel and returns its ID. */
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
  // Omitted unless the caller may see it: a comment without it is published.
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

/** YouTube lists no comment that it holds for review or has rejected either. */
export async function commentExists(session: Session, id: string): AdapterResult<true> {
  const query = { part: 'id', id };
  const read = await requestJson(session, { path: '/youtube/v3/comments', query }, identifiedComments);
  if (!read.ok) return read;
  return read.value.items.length > 0
    ? ok(true)
    : refuse(
        'platform.outcome_unknown',
        'YouTube does not list the comment: it was removed, or is held for review.',
      );
}

export async function isCommentEdited(
  session: Session,
  id: string,
  item: PublishItem,
): AdapterResult<boolean> {
  const query = { part: 'snippet', id, textFormat: 'plainText' };
  const read = await requestJson(session, { path: '/youtube/v3/comments', query }, writtenComments);
  if (!read.ok) return read;
  const found = read.value.items.find((one) => one.id === id);
  return found
    ? ok(normalizeText(found.snippet.textOriginal ?? '') === normalizeText(rules.finalText(item)))
    : refuse('platform.outcome_unknown', 'YouTube does not list the comment, or holds it for review.');
}

/** A newly uploaded video is not known to all parts of YouTube at once. */
export const explainVideoNotFound = ({ code }: PlatformError) =>
  code === 'videoNotFound'
    ? refuse('platform.unavailable', 'YouTube has not propagated the new video yet.', {
        retryAfterSeconds: 60,
      })
    : undefined;

/**
 * The channel's own comment with this text; null if there is none. A comment held for review, for example
 * because of its link, is not listed.
 */
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
          path,
          query: {
            part: 'snippet',
            videoId,
            order: 'time',
            textFormat: 'plainText',
            maxResults: PAGE,
            pageToken,
          },
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
    return refuse(
      'platform.outcome_unknown',
      'YouTube does not report the author of a comment with the same text.',
    );
  }
  const { held } = item.receipt;
  if (same.length === 0 && held !== undefined) return heldForReview(held);
  return same.length === 0 && LINK.test(rules.finalText(item))
    ? refuse('platform.outcome_unknown', 'YouTube may hold this comment for review because of its link.')
    : resolveSingleMatch(same.map(({ id }) => id));
}
