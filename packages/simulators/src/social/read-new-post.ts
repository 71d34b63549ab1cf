import type { Answer } from '../wire/answer.js';
import { refusal } from '../wire/answer.js';
import { isGiven } from '../wire/parameters.js';
import type { Visibility } from './post.js';
import { VISIBILITIES } from './post.js';
import type { NewPost, Posts } from './posts.js';

export const TEXT_LIMIT_CODE_POINTS = 500;

/** The post a body asks for, or why it is refused. */
export function readNewPost(
  account: string,
  body: Readonly<Record<string, unknown>>,
  posts: Posts,
): NewPost | Answer {
  const { text, link, visibility, reply_to: replyTo, client_ref: clientRef } = body;
  if (typeof text !== 'string' || text.trim() === '')
    return wrong('text', 'text_required', 'A post needs a text.');
  const length = [...text].length;
  if (length > TEXT_LIMIT_CODE_POINTS) {
    const message = `A text has at most ${TEXT_LIMIT_CODE_POINTS} characters.`;
    return refusal(422, 'text_too_long', message, { field: 'text', limit: TEXT_LIMIT_CODE_POINTS, length });
  }
  if (isGiven(link) && !isWebLink(link))
    return wrong('link', 'link_invalid', 'A link is an absolute http or https URL.');
  if (isGiven(visibility) && !VISIBILITIES.includes(visibility as Visibility)) {
    return wrong('visibility', 'visibility_invalid', `visibility is one of ${VISIBILITIES.join(', ')}.`);
  }
  if (isGiven(replyTo) && (typeof replyTo !== 'string' || !posts.get(replyTo))) {
    return wrong('reply_to', 'reply_to_not_found', 'The post to reply to does not exist.');
  }
  if (isGiven(clientRef) && (typeof clientRef !== 'string' || clientRef.length > 100)) {
    return wrong('client_ref', 'client_ref_invalid', 'client_ref has at most 100 characters.');
  }
  return {
    account_id: account,
    text,
    link: isGiven(link) ? (link as string) : null,
    visibility: isGiven(visibility) ? (visibility as Visibility) : 'public',
    reply_to: isGiven(replyTo) ? (replyTo as string) : null,
    client_ref: isGiven(clientRef) ? (clientRef as string) : null,
  };
}

function isWebLink(link: unknown): boolean {
  return typeof link === 'string' && link.length <= 2048 && /^https?:\/\//i.test(link) && URL.canParse(link);
}

function wrong(field: string, code: string, message: string): Answer {
  return refusal(422, code, message, { field });
}
