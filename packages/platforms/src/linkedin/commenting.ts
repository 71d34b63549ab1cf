import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { plainWords } from '../kit/plain-words.js';
import { ask, inUrl } from './ask.js';
import { isOpen } from './connecting.js';
import { cannotBeRead, CLOCKS_MS, mayRead, onlyOne } from './reading.js';
import { finalText } from './rules.js';
import { comments, madeComment, type Comment } from './wire.js';

type Answers = NonNullable<PublishItem['answers']>;
type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

const PAGE = 100;
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
        ...{ actor: session.account.id, object: parent.externalId },
        message: { text: finalText(item) },
      },
      effect: 'write',
    },
    madeComment,
  );
  return made.ok ? ok(partOf(made.value)) : made;
}

export async function findComment(
  session: Session,
  item: PublishItem,
  { parent }: Answers,
): Answer<PublishedPart | null> {
  if (!mayRead(session, 'r_member_social_feed')) return cannotBeRead('comment');
  const own: Comment[] = [];
  for (let page = 0; ; page++) {
    if (page === PAGES_MAX) {
      return refuse('platform.outcome_unknown', 'The post has more comments than can be looked through.');
    }
    const query = { start: page * PAGE, count: PAGE };
    const path = actionsOf(session, parent.externalId);
    const listed = await ask(session, { method: 'GET', path, query, effect: 'read' }, comments);
    if (!listed.ok) return listed;
    own.push(...listed.value.elements.filter((one) => isItem(one, session, item)));
    if (listed.value.elements.length < PAGE) break;
  }
  const found = onlyOne(own, 'comment');
  return found.ok ? ok(found.value && partOf(found.value)) : found;
}

const isItem = ({ actor, message, created }: Comment, { account }: Session, item: PublishItem): boolean =>
  actor === account.id &&
  created.time >= item.createdAt.getTime() - CLOCKS_MS &&
  plainWords(message.text ?? '') === plainWords(finalText(item));

/** Below an activity that is not called as the post is: both are needed to remove it. */
const partOf = ({
  id,
  commentUrn,
  object,
}: Pick<Comment, 'id' | 'commentUrn' | 'object'>): PublishedPart => ({
  externalId: commentUrn ?? `urn:li:comment:(${object},${id})`,
  url: null,
  receipt: {},
});
