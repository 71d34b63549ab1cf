import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from './answers.js';
import { z } from 'zod';
import { askGraph, graphList, graphPage } from './graph.js';
import { listedSince, onlyOne } from './look-back.js';
import { plainWords } from './plain-words.js';

type Answers = NonNullable<PublishItem['answers']>;

/** A comment as it is compared. */
export interface SeenComment {
  readonly id: string;
  /** Null: a comment without words, or whose words are not shown. */
  readonly text: string | null;
  readonly writtenAt: string;
  /** Null: nobody says who wrote it. */
  readonly isOwn: boolean | null;
}

/** What Facebook and Instagram say differently. */
export interface CommentWay {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly row: z.ZodType<SeenComment>;
}

const PAGE = 50;
const PAGES_MAX = 10;

const made = z.object({ id: z.string().regex(/^\w+$/) });
const pathOf = ({ parent }: Answers) => `/${encodeURIComponent(parent.externalId)}/comments`;

/** Puts a comment below a post of the account's own; answers its id. */
export async function putComment(
  session: Session,
  { name }: CommentWay,
  message: string,
  answers: Answers,
): Answer<string> {
  const request = { method: 'POST', path: pathOf(answers), form: { message }, effect: 'write' } as const;
  const put = await askGraph(session, name, request, made);
  return put.ok ? ok(put.value.id) : put;
}

/** The account's own comment with these words; null: there is none. */
export async function findComment(
  session: Session,
  { name, query, row }: CommentWay,
  text: string,
  item: Pick<PublishItem, 'createdAt'>,
  answers: Answers,
): Answer<string | null> {
  const page = async (after: string | undefined) => {
    const asked = { ...query, limit: PAGE, after };
    const request = { method: 'GET', path: pathOf(answers), query: asked, effect: 'read' } as const;
    const listed = await askGraph(session, name, request, graphList(row));
    return listed.ok ? ok(graphPage(listed.value)) : listed;
  };
  // In what order comments come nobody promises.
  const order = { pagesMax: PAGES_MAX, newestFirst: false, madeAt: (one: SeenComment) => one.writtenAt };
  const recent = await listedSince(item, page, order);
  if (!recent.ok) return recent;
  const alike = recent.value.filter((one) => plainWords(one.text ?? '') === plainWords(text));
  const only = onlyOne(alike.filter((one) => one.isOwn));
  if (!only.ok || only.value) return only.ok ? ok(only.value?.id ?? null) : only;
  if (alike.some((one) => one.isOwn === null)) {
    return refuse('platform.outcome_unknown', `${name} does not say who wrote a comment with these words.`);
  }
  return recent.value.some((one) => one.isOwn !== false && one.text === null)
    ? refuse('platform.outcome_unknown', `${name} does not show the words of a comment.`)
    : ok(null);
}
