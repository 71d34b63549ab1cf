import {
  ok,
  quotePlatform,
  refuse,
  type PlatformResponse,
  type PublishedPart,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult, PlatformError } from '@switchboard/platform-kit/platform-client';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { encodeUrn, exists, requestJson } from './client.js';
import { usesOpenProducts } from './connecting.js';
import { listPage } from './list-page.js';
import { readNotPermitted, readingNotPermitted, canRead } from './read-access.js';
import { finalText } from './rules.js';
import { compareText } from './compare-text.js';
import { comments, errorMapping, createdComment, type CreatedComment } from './wire.js';

type ReplyTarget = NonNullable<PublishItem['replyTo']>;

const PAGES_MAX = 5;

const COMMENT = /^urn:li:comment:\((urn:li:\w+:\d+),(\d+)\)$/;

export const isComment = (urn: string): boolean => COMMENT.test(urn);

/** The versioned API accepts comments only from partner apps; every other app has the previous one. */
const commentsPath = (session: Session, urn: string) =>
  `${usesOpenProducts(session) ? '/v2' : '/rest'}/socialActions/${encodeUrn(urn)}/comments`;

function pathOfComment(session: Session, urn: string): string {
  const [, post = '', id = ''] = COMMENT.exec(urn) ?? [];
  return `${commentsPath(session, post)}/${id}`;
}

/** Where a comment is deleted: its author is named. */
export const commentPath = (session: Session, urn: string): string =>
  `${pathOfComment(session, urn)}?actor=${encodeUrn(session.account.id)}`;

/** A comment is plain text: nothing in it is escaped. */
export async function createComment(
  session: Session,
  item: PublishItem,
  { parent }: ReplyTarget,
): AdapterResult<PublishedPart> {
  const made = await requestJson(
    session,
    {
      method: 'POST',
      path: commentsPath(session, parent.externalId),
      json: {
        actor: session.account.id,
        object: parent.externalId,
        message: { text: finalText(item) },
      },
      effect: 'write',
    },
    createdComment,
    explainNotFound,
  );
  return made.ok ? ok(partOf(made.value)) : made;
}

/** The comments API sees a post later than the posts API. */
const explainNotFound = ({ message, code }: PlatformError, { status }: PlatformResponse) =>
  status === 404
    ? refuse('platform.unavailable', 'LinkedIn cannot find the post to comment on yet.', {
        platform: quotePlatform(errorMapping.name, message, code),
        retryAfterSeconds: 60,
      })
    : undefined;

export async function findComment(
  session: Session,
  item: PublishItem,
  { parent }: ReplyTarget,
): AdapterResult<PublishedPart | null> {
  if (!canRead(session, 'r_member_social_feed')) return readNotPermitted('comment');
  const path = commentsPath(session, parent.externalId);
  const recent = await findRecentPosts(item, (start) => listPage(session, { path }, comments, start), {
    pagesMax: PAGES_MAX,
    // The order is not documented.
    newestFirst: false,
    createdAtOf: ({ created }) => new Date(created.time).toISOString(),
  });
  if (!recent.ok) return recent;
  const own = recent.value.filter(({ actor }) => actor === session.account.id);
  const sameness = ({ message }: (typeof own)[number]) => compareText(message.text, finalText(item));
  const similar = own.filter((one) => sameness(one) !== 'other');
  const found = resolveSingleMatchWithOptions(similar, (one) => sameness(one) !== 'almost');
  return found.ok ? ok(found.value && partOf(found.value)) : found;
}

export async function commentExists(session: Session, urn: string): AdapterResult<boolean> {
  if (!canRead(session, 'r_member_social_feed')) return readingNotPermitted('comment');
  return exists(session, pathOfComment(session, urn), createdComment);
}

/** The activity has another URN than the post: both are needed to remove the comment. */
const partOf = ({ id, commentUrn, object }: CreatedComment): PublishedPart => ({
  externalId: commentUrn ?? `urn:li:comment:(${object},${id})`,
  url: null,
  receipt: {},
});
