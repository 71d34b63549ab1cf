import {
  ok,
  type PlatformFailureCode,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { graphPage } from '../kit/graph.js';
import { listedSince, onlyOne } from '../kit/look-back.js';
import { ask } from './ask.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText } from './rules.js';
import { comments, made, type FoundComment } from './wire.js';

type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

const PAGE = 50;
const PAGES_MAX = 10;
const fields = 'id,text,timestamp,username,user';

const pathOf = (answers: NonNullable<PublishItem['answers']>) =>
  `/${encodeURIComponent(answers.parent.externalId)}/comments`;

/** Puts a comment below a post of the account's own; answers its id. */
export async function putComment(
  session: Session,
  item: PublishItem,
  answers: NonNullable<PublishItem['answers']>,
): Answer<string> {
  const form = { message: finalText(item) };
  const put = await ask(session, { method: 'POST', path: pathOf(answers), form, effect: 'write' }, made);
  return put.ok ? ok(put.value.id) : put;
}

/** The account's own comment with these words; null: there is none. */
export async function findComment(
  session: Session,
  item: PublishItem,
  answers: NonNullable<PublishItem['answers']>,
): Answer<string | null> {
  const recent = await listedSince(
    item,
    async (after) => {
      const query = { fields, limit: PAGE, after };
      const request = { method: 'GET', path: pathOf(answers), query, effect: 'read' } as const;
      const listed = await ask(session, request, comments);
      return listed.ok ? ok(graphPage(listed.value)) : listed;
    },
    {
      pagesMax: PAGES_MAX,
      newestFirst: false,
      madeAt: (one) => one.timestamp,
    },
  );
  if (!recent.ok) return recent;
  const only = onlyOne(recent.value.filter((one) => isItem(one, session, item)));
  return only.ok ? ok(only.value?.id ?? null) : only;
}

/** Who wrote it is told by name, or only of the account itself. */
const isItem = ({ text, username, user }: FoundComment, { account }: Session, item: PublishItem): boolean =>
  (user != null || (username != null && username === account.username)) &&
  plainWords(text ?? '') === plainWords(finalText(item));
