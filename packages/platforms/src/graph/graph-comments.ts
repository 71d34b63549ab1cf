import { ok, refuse, type PublishedPart, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { requestGraph, graphList, graphPage } from './graph.js';
import { graphPart } from './graph-part.js';
import { findRecentPosts, resolveSingleMatch } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';

type ReplyTarget = NonNullable<PublishItem['replyTo']>;

/** A comment in the form in which it is compared. */
interface ListedComment {
  readonly id: string;
  /** Null: a comment without text, or whose text is not returned. */
  readonly text: string | null;
  readonly createdAt: string;
  /** Null: the author is not returned. */
  readonly isOwn: boolean | null;
}

/** The differences between Facebook and Instagram. */
export interface CommentApi {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly row: z.ZodType<ListedComment>;
}

const PAGE = 50;
const PAGES_MAX = 10;

const created = z.object({ id: z.string().regex(/^\w+$/) });
const pathOf = ({ parent }: ReplyTarget) => `/${encodeURIComponent(parent.externalId)}/comments`;

/** Adds a comment to a post of the account. */
export async function createComment(
  session: Session,
  { name }: CommentApi,
  message: string,
  answers: ReplyTarget,
): AdapterResult<PublishedPart> {
  const request = { method: 'POST', path: pathOf(answers), form: { message }, effect: 'write' } as const;
  const put = await requestGraph(session, name, request, created);
  return put.ok ? ok(graphPart(put.value.id, null)) : put;
}

/** The account's own comment with this text; null if there is none. */
export async function findComment(
  session: Session,
  { name, query, row }: CommentApi,
  text: string,
  item: Pick<PublishItem, 'createdAt'>,
  answers: ReplyTarget,
): AdapterResult<PublishedPart | null> {
  const page = async (after: string | undefined) => {
    const requested = { ...query, limit: PAGE, after };
    const listed = await requestGraph(
      session,
      name,
      { path: pathOf(answers), query: requested },
      graphList(row),
    );
    return listed.ok ? ok(graphPage(listed.value)) : listed;
  };
  // The order of comments is undocumented.
  const order = {
    pagesMax: PAGES_MAX,
    newestFirst: false,
    createdAtOf: (one: ListedComment) => one.createdAt,
  };
  const recent = await findRecentPosts(item, page, order);
  if (!recent.ok) return recent;
  const similar = recent.value.filter((one) => normalizeText(one.text ?? '') === normalizeText(text));
  const only = resolveSingleMatch(similar.filter((one) => one.isOwn));
  if (!only.ok || only.value) return only.ok ? ok(only.value && graphPart(only.value.id, null)) : only;
  if (similar.some((one) => one.isOwn === null)) {
    return refuse(
      'platform.outcome_unknown',
      `${name} does not report the author of a comment with the same text.`,
    );
  }
  return recent.value.some((one) => one.isOwn !== false && one.text === null)
    ? refuse('platform.outcome_unknown', `${name} does not return the text of a comment.`)
    : ok(null);
}
