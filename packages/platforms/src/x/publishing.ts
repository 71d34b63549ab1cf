import {
  ok,
  quotePlatform,
  refuse,
  type PublishedPart,
  type Publishing,
  type PublishItem,
} from '@switchboard/platform-kit';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import type { PlatformError } from '@switchboard/platform-kit/platform-client';
import { findPost } from './find-post.js';
import { postExists } from './post-exists.js';
import { manifest } from './manifest.js';
import { uploadMedia } from './media.js';
import { optionsFor, isQuote, QUOTES_REMOVED, rules } from './rules.js';
import { requestJson, created, removed } from './wire.js';

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
      (_words, { status }) => (status === 404 ? ok(null) : undefined),
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
