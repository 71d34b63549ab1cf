import type { Answer } from '../wire/answer.js';
import { refusal } from '../wire/answer.js';
import { fieldsOf, isGiven } from '../wire/parameters.js';
import type { MediaBook } from './media.js';
import type { PostMedia, Visibility } from './post.js';
import { VISIBILITIES } from './post.js';
import type { NewPost, Posts } from './posts.js';
import { topicsOf } from './topics.js';

export const TEXT_LIMIT_CODE_POINTS = 500;
export const ALT_TEXT_LIMIT = 1000;
export const MEDIA_LIMIT = 4;

type Body = Readonly<Record<string, unknown>>;

/** The post a body asks for, or why it is refused. */
export function readNewPost(account: string, body: Body, posts: Posts, files: MediaBook): NewPost | Answer {
  const { text = '', link, topic, visibility, reply_to: replyTo, client_ref: clientRef } = body;
  const media = readMedia(account, body['media'], files);
  if ('status' in media) return media;
  if (typeof text !== 'string') return wrong('text', 'text_required', 'A text is a text.');
  if (text.trim() === '' && media.length === 0 && !isGiven(link))
    return wrong('text', 'text_required', 'A post needs a text, a link or media.');
  const length = [...text].length;
  if (length > TEXT_LIMIT_CODE_POINTS) {
    const message = `A text has at most ${TEXT_LIMIT_CODE_POINTS} characters.`;
    return refusal(422, 'text_too_long', message, { field: 'text', limit: TEXT_LIMIT_CODE_POINTS, length });
  }
  if (isGiven(link) && !isWebLink(link))
    return wrong('link', 'link_invalid', 'A link is an absolute http or https URL.');
  if (isGiven(topic) && !topicsOf(account).some(({ id }) => id === topic))
    return wrong('topic', 'topic_unknown', 'This account has no such topic.');
  if (isGiven(visibility) && !VISIBILITIES.includes(visibility as Visibility)) {
    return wrong('visibility', 'visibility_invalid', `visibility is one of ${VISIBILITIES.join(', ')}.`);
  }
  if (isGiven(replyTo) && (typeof replyTo !== 'string' || !posts.get(replyTo))) {
    return wrong('reply_to', 'reply_to_not_found', 'The post to reply to does not exist.');
  }
  if (isGiven(clientRef) && (typeof clientRef !== 'string' || clientRef.length > 100)) {
    return wrong('client_ref', 'client_ref_invalid', 'client_ref has at most 100 characters.');
  }
  const given = (value: unknown) => (isGiven(value) ? (value as string) : null);
  return {
    account_id: account,
    text,
    link: given(link),
    media,
    topic: given(topic),
    visibility: isGiven(visibility) ? (visibility as Visibility) : 'public',
    reply_to: given(replyTo),
    client_ref: given(clientRef),
  };
}

/** Up to four pictures, or one video, or one document, of the account's own. */
function readMedia(account: string, value: unknown, files: MediaBook): readonly PostMedia[] | Answer {
  if (!isGiven(value)) return [];
  if (!Array.isArray(value)) return wrong('media', 'media_invalid', 'media is a list of {id, alt_text}.');
  if (value.length > MEDIA_LIMIT)
    return wrong(
      'media',
      'media_too_many',
      `A post has at most ${MEDIA_LIMIT} pictures, one video or one document.`,
    );
  const media: PostMedia[] = [];
  for (const item of value) {
    const { id, alt_text: altText } = fieldsOf(item);
    const known = typeof id === 'string' ? files.get(id) : undefined;
    if (known?.account_id !== account)
      return wrong('media', 'media_not_found', 'One of the media does not exist.');
    if (isGiven(altText) && (typeof altText !== 'string' || altText.length > ALT_TEXT_LIMIT))
      return wrong('media', 'alt_text_too_long', `alt_text has at most ${ALT_TEXT_LIMIT} characters.`);
    media.push({ id: known.id, type: known.type, alt_text: isGiven(altText) ? (altText as string) : null });
  }
  if (media.length > 1 && media.some(({ type }) => !type.startsWith('image/')))
    return wrong('media', 'media_mixed', 'A video or a document stands alone.');
  return media;
}

function isWebLink(link: unknown): boolean {
  return typeof link === 'string' && link.length <= 2048 && /^https?:\/\//i.test(link) && URL.canParse(link);
}

function wrong(field: string, code: string, message: string): Answer {
  return refusal(422, code, message, { field });
}
