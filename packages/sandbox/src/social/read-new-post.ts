import { invalidField, type HttpResponse } from '../wire/response.js';
import { fieldsOf, isProvided } from '../wire/parameters.js';
import { invalidReference } from './comments.js';
import type { MediaStore } from './media.js';
import { type NewPost, type Posts, type PostMedia, type Visibility, VISIBILITIES } from './posts.js';
import { topicsOf } from './accounts.js';

const TEXT_LIMIT_CODE_POINTS = 500;
const ALT_TEXT_LIMIT = 1000;
const MEDIA_LIMIT = 4;

type RequestBody = Readonly<Record<string, unknown>>;

export function readNewPost(
  account: string,
  body: RequestBody,
  posts: Posts,
  files: MediaStore,
): NewPost | HttpResponse {
  const { text = '', link, topic, visibility, reply_to: replyTo, client_ref: clientRef } = body;
  const media = readMedia(account, body['media'], files);
  if ('status' in media) return media;
  if (typeof text !== 'string') return invalidField('text', 'text_required', '`text` must be a string.');
  if (text.trim() === '' && media.length === 0 && !isProvided(link))
    return invalidField('text', 'text_required', 'A post requires a text, a link or media.');
  const length = [...text].length;
  if (length > TEXT_LIMIT_CODE_POINTS) {
    const message = `A text may have at most ${TEXT_LIMIT_CODE_POINTS} characters.`;
    return invalidField('text', 'text_too_long', message, { limit: TEXT_LIMIT_CODE_POINTS, length });
  }
  if (isProvided(link) && !isWebLink(link))
    return invalidField('link', 'link_invalid', 'A link must be an absolute http or https URL.');
  if (isProvided(topic) && !topicsOf(account).some(({ id }) => id === topic))
    return invalidField('topic', 'topic_unknown', 'This account has no such topic.');
  if (isProvided(visibility) && !VISIBILITIES.includes(visibility as Visibility)) {
    return invalidField(
      'visibility',
      'visibility_invalid',
      `visibility must be one of ${VISIBILITIES.join(', ')}.`,
    );
  }
  if (isProvided(replyTo) && (typeof replyTo !== 'string' || !posts.get(replyTo))) {
    return invalidField('reply_to', 'reply_to_not_found', 'The post to reply to does not exist.');
  }
  const wrongReference = invalidReference(clientRef);
  if (wrongReference) return wrongReference;
  const provided = (value: unknown) => (isProvided(value) ? (value as string) : null);
  return {
    account_id: account,
    text,
    link: provided(link),
    media,
    topic: provided(topic),
    visibility: isProvided(visibility) ? (visibility as Visibility) : 'public',
    reply_to: provided(replyTo),
    client_ref: provided(clientRef),
  };
}

/** Up to four images, one video, or one document, of the same account. */
function readMedia(account: string, value: unknown, files: MediaStore): readonly PostMedia[] | HttpResponse {
  if (!isProvided(value)) return [];
  if (!Array.isArray(value))
    return invalidField('media', 'media_invalid', 'media must be a list of {id, alt_text}.');
  if (value.length > MEDIA_LIMIT)
    return invalidField(
      'media',
      'media_too_many',
      `A post may have at most ${MEDIA_LIMIT} images, one video or one document.`,
    );
  const media: PostMedia[] = [];
  for (const item of value) {
    const { id, alt_text: altText } = fieldsOf(item);
    const known = typeof id === 'string' ? files.get(id) : undefined;
    if (known?.account_id !== account)
      return invalidField('media', 'media_not_found', 'One of the media does not exist.');
    if (isProvided(altText) && (typeof altText !== 'string' || altText.length > ALT_TEXT_LIMIT))
      return invalidField(
        'media',
        'alt_text_too_long',
        `alt_text may have at most ${ALT_TEXT_LIMIT} characters.`,
      );
    media.push({
      id: known.id,
      type: known.type,
      alt_text: isProvided(altText) ? (altText as string) : null,
    });
  }
  if (media.length > 1 && media.some(({ type }) => !type.startsWith('image/')))
    return invalidField('media', 'media_mixed', 'A video or document must be the only media.');
  return media;
}

function isWebLink(link: unknown): boolean {
  return typeof link === 'string' && link.length <= 2048 && /^https?:\/\//i.test(link) && URL.canParse(link);
}
