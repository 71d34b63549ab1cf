import {
  ok,
  quotePlatform,
  refuse,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import {
  nullIfNotFound,
  type PlatformError,
  type AdapterResult,
} from '@switchboard/platform-kit/platform-client';
import { findPost } from './find-post.js';
import { manifest } from './manifest.js';
import { uploadMedia } from './media.js';
import { optionsFor, isQuote, QUOTES_REMOVED, rules } from './rules.js';
import { requestJson, created, removed, namedPosts } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (isQuote(item)) return refuse('platform.refused', QUOTES_REMOVED);
    const media = await uploadMedia(session, item, openReceipt(item, saveReceipt));
    if (!media.ok) return media;
    const posted = await requestJson(
      session,
      { method: 'POST', path: '/2/tweets', json: bodyOf(item, media.value), effect: 'write' },
      created,
      explainError,
    );
    return posted.ok ? ok(partOf(posted.value.data.id)) : posted;
  },

  async find(session, item) {
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && partOf(found.value.id)) : found;
  },

  exists: postExists,

  /** X reports a missing post as deleted, too. */
  async remove(session, { externalId }) {
    const response = await requestJson(
      session,
      { method: 'DELETE', path: `/2/tweets/${encodeURIComponent(externalId)}`, effect: 'idempotent' },
      removed,
      nullIfNotFound,
    );
    if (!response.ok) return response;
    return response.value && !response.value.data.deleted
      ? refuse('platform.refused', 'X did not delete the post.')
      : ok();
  },
};

function bodyOf(item: PublishItem, media: readonly string[]) {
  const text = rules.finalText(item);
  return {
    ...(text !== '' && { text }),
    ...optionsFor(item),
    ...(media.length > 0 && { media: { media_ids: media } }),
    ...(item.replyTo && { reply: { in_reply_to_tweet_id: item.replyTo.parent.externalId } }),
  };
}

/** The code of the older error format: "Status is a duplicate." */
const DUPLICATE = '187';

function explainError({ code, message }: PlatformError) {
  if (code === DUPLICATE || /duplicate content/i.test(message)) {
    return refuse('platform.duplicate_content', 'X rejects a second post with identical text.');
  }
  if (/not been mentioned or otherwise engaged/i.test(message)) {
    return refuse(
      'platform.refused',
      'X lets this app reply only to accounts that mentioned or quoted this one, and X treats this post as a reply to another account. The preceding post was published.',
      { platform: quotePlatform(manifest.name, message, code) },
    );
  }
  return undefined;
}

/** The name in the URL is ignored, so it is not requested. */
const partOf = (id: string): PublishedPart => ({
  externalId: id,
  url: `https://x.com/i/status/${id}`,
  receipt: {},
});

/** The type of the problem is a URL below the host of the API, of which X has used two. */
const NOT_FOUND = /\/problems\/resource-not-found$/;

/**
 * X responds with a 200 and a problem for each post that it does not return; another problem than this one, such as
 * `not-authorized-for-resource`, does not say that the post was removed.
 * https://docs.x.com/x-api/fundamentals/response-codes-and-errors
 */
async function postExists(session: Session, { externalId }: PublishedPart): AdapterResult<boolean> {
  const read = await requestJson(session, { path: '/2/tweets', query: { ids: externalId } }, namedPosts);
  if (!read.ok) return read;
  const { data, errors } = read.value;
  if (data?.some(({ id }) => id === externalId)) return ok(true);
  const isMissing = errors?.some(
    ({ type, resource_id: id }) => id === externalId && NOT_FOUND.test(type ?? ''),
  );
  return isMissing ? ok(false) : refuse('platform.outcome_unknown', 'X does not return the post.');
}
