import {
  ok,
  refuse,
  type Draft,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Remember,
  type Session,
} from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { codePoints } from '../kit/counting/code-points.js';
import { LINK_MAX, topic } from './manifest.js';
import { upload } from './media.js';
import { dialect, nothing, post, postList, publishingOptions } from './wire.js';

export const publishing: Publishing = {
  count: codePoints,

  /** The link is a field of its own there and does not count. */
  finalText: (draft) => draft.text,

  check: (draft: Draft) =>
    draft.link !== null && draft.link.length > LINK_MAX
      ? [{ path: 'link', code: 'link.too_long', message: `The link may have ${LINK_MAX} characters.` }]
      : [],

  async publish(session, item, remember) {
    const wanted = item.kind === 'comment' ? ok(commentOf(item)) : await postOf(session, item, remember);
    if (!wanted.ok) return wanted;
    const { path, ...json } = wanted.value;
    const posted = await ask(session, dialect, { method: 'POST', path, json, effect: 'write' }, post);
    return posted.ok ? ok(part(item, posted.value)) : posted;
  },

  async find(session, item) {
    const query = { client_ref: item.reference, limit: 2 };
    const path = placeOf(item);
    const found = await ask(session, dialect, { method: 'GET', path, query, effect: 'read' }, postList);
    if (!found.ok) return found;
    const [first, second] = found.value.data;
    if (second) {
      return refuse('platform.outcome_unknown', 'Several posts bear the reference of this one.');
    }
    return ok(first ? part(item, first) : null);
  },

  /** It has its id at once, and its URL a while later. */
  async locate(session, { externalId }) {
    const path = `/social/api/posts/${encodeURIComponent(externalId)}`;
    const found = await ask(session, dialect, { method: 'GET', path, effect: 'read' }, post, (words) =>
      words.code === 'not_found' ? ok(null) : undefined,
    );
    return found.ok && found.value ? ok(part({ kind: 'post' }, found.value)) : found;
  },

  async remove(session, { externalId, receipt }) {
    const kind = receipt['kind'] === 'comment' ? 'comment' : 'post';
    return ask(
      session,
      dialect,
      {
        method: 'DELETE',
        path: `${placeOf({ kind })}/${encodeURIComponent(externalId)}`,
        effect: 'idempotent',
      },
      nothing,
      (words) => (words.code === 'not_found' ? ok() : undefined),
    );
  },

  async options(session) {
    const told = await askOptions(session);
    if (!told.ok) return told;
    const choices = told.value.topics.map(({ id, name }) => ({ value: id, label: name }));
    return ok({ options: [{ ...topic, choices }] });
  },

  async quotas(session) {
    const told = await askOptions(session);
    if (!told.ok) return told;
    const { used, limit, resets_at: resetsAt } = told.value.posts_today;
    return ok([
      { name: 'posts_per_day', used, limit, resetsAt: new Date(resetsAt), usedBy: ['post', 'thread'] },
    ]);
  },
};

const askOptions = (session: Session) =>
  ask(
    session,
    dialect,
    { method: 'GET', path: '/social/api/publishing-options', effect: 'read' },
    publishingOptions,
  );

const placeOf = ({ kind }: Pick<PublishItem, 'kind'>) =>
  kind === 'comment' ? '/social/api/comments' : '/social/api/posts';

const commentOf = ({ answers, text, reference }: PublishItem) => ({
  path: `/social/api/posts/${encodeURIComponent(answers?.parent.externalId ?? '')}/comments`,
  text,
  client_ref: reference,
});

async function postOf(
  session: Session,
  item: PublishItem,
  remember: Remember,
): Answer<Readonly<Record<string, unknown>> & { readonly path: string }> {
  const uploaded = await upload(session, item, remember);
  if (!uploaded.ok) return uploaded;
  return ok({
    path: '/social/api/posts',
    text: item.text,
    ...(item.link === null ? {} : { link: item.link }),
    media: uploaded.value.map((id, at) => ({ id, alt_text: item.media[at]?.altText })),
    ...(item.answers ? { reply_to: item.answers.parent.externalId } : {}),
    topic: item.options['topic'],
    visibility: item.options['visibility'],
    client_ref: item.reference,
  });
}

const part = (
  { kind }: Pick<PublishItem, 'kind'>,
  { id, url }: Pick<PublishedPart, 'url'> & { readonly id: string },
): PublishedPart => ({
  externalId: id,
  url,
  receipt: kind === 'comment' ? { kind } : {},
});
