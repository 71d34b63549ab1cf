import {
  ok,
  quotePlatform,
  refuse,
  type PlatformAnswer,
  type PublishedPart,
  type PublishItem,
  type Session,
} from '@switchboard/domain';
import type { Words, Answer } from '../kit/answers.js';
import { listedSince, onlyOneAsAsked } from '../kit/look-back.js';
import { ask, inUrl } from './ask.js';
import { isOpen } from './connecting.js';
import { listPage } from './paging.js';
import { cannotBeRead, mayRead } from './reading.js';
import { finalText } from './rules.js';
import { saysSame } from './same-words.js';
import { comments, dialect, madeComment, type MadeComment } from './wire.js';

type Answers = NonNullable<PublishItem['answers']>;

const PAGES_MAX = 5;

const COMMENT = /^urn:li:comment:\((urn:li:\w+:\d+),(\d+)\)$/;

export const isComment = (urn: string): boolean => COMMENT.test(urn);

/** The versioned API takes comments of partners only; every other app still has the one before it. */
const actionsOf = (session: Session, urn: string) =>
  `${isOpen(session) ? '/v2' : '/rest'}/socialActions/${inUrl(urn)}/comments`;

export function commentPath(session: Session, urn: string): string {
  const [, post = '', id = ''] = COMMENT.exec(urn) ?? [];
  return `${actionsOf(session, post)}/${id}?actor=${inUrl(session.account.id)}`;
}

/** A comment is a plain text: nothing of it is escaped. */
export async function putComment(
  session: Session,
  item: PublishItem,
  { parent }: Answers,
): Answer<PublishedPart> {
  const made = await ask(
    session,
    {
      method: 'POST',
      path: actionsOf(session, parent.externalId),
      json: {
        actor: session.account.id,
        object: parent.externalId,
        message: { text: finalText(item) },
      },
      effect: 'write',
    },
    madeComment,
    unknownYet,
  );
  return made.ok ? ok(partOf(made.value)) : made;
}

/** Comments hear of a post later than whoever posted it. */
const unknownYet = ({ message, code }: Words, { status }: PlatformAnswer) =>
  status === 404
    ? refuse('platform.unavailable', 'LinkedIn does not know yet what is to be commented on.', {
        platform: quotePlatform(dialect.name, message, code),
        retryAfterSeconds: 60,
      })
    : undefined;

export async function findComment(
  session: Session,
  item: PublishItem,
  { parent }: Answers,
): Answer<PublishedPart | null> {
  if (!mayRead(session, 'r_member_social_feed')) return cannotBeRead('comment');
  const path = actionsOf(session, parent.externalId);
  const recent = await listedSince(item, (start) => listPage(session, { path }, comments, start), {
    pagesMax: PAGES_MAX,
    // In an order that is not documented.
    newestFirst: false,
    madeAt: ({ created }) => new Date(created.time).toISOString(),
  });
  if (!recent.ok) return recent;
  const own = recent.value.filter(({ actor }) => actor === session.account.id);
  const sameness = ({ message }: (typeof own)[number]) => saysSame(message.text, finalText(item));
  const alike = own.filter((one) => sameness(one) !== 'other');
  const found = onlyOneAsAsked(alike, (one) => sameness(one) !== 'almost');
  return found.ok ? ok(found.value && partOf(found.value)) : found;
}

/** Below an activity that is not called as the post is: both are needed to remove it. */
const partOf = ({ id, commentUrn, object }: MadeComment): PublishedPart => ({
  externalId: commentUrn ?? `urn:li:comment:(${object},${id})`,
  url: null,
  receipt: {},
});
