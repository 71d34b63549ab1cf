import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask } from './ask.js';
import { CLOCKS_MS } from './find-media.js';
import { plainWords } from '../kit/plain-words.js';
import { finalText } from './rules.js';
import { comments, made } from './wire.js';

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
  const since = item.createdAt.getTime() - CLOCKS_MS;
  const same: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { fields, limit: PAGE, after };
    const listed = await ask(
      session,
      { method: 'GET', path: pathOf(answers), query, effect: 'read' },
      comments,
    );
    if (!listed.ok) return listed;
    for (const { id, text, timestamp, username, user } of listed.value.data) {
      const isOwn = user != null || (username != null && username === session.account.username);
      const isItem = isOwn && plainWords(text ?? '') === plainWords(finalText(item));
      if (isItem && Date.parse(timestamp) >= since) same.push(id);
    }
    after = listed.value.paging?.cursors?.after ?? undefined;
    if (listed.value.data.length > 0 && after !== undefined) continue;
    if (same.length > 1) return refuse('platform.outcome_unknown', 'Several comments have this text.');
    return ok(same[0] ?? null);
  }
  return refuse('platform.outcome_unknown', 'The post has more comments than can be looked through.');
}
