import {
  ok,
  refuse,
  type PartDraft,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import { discardIfRefused, openReceipt, type PartReceipt } from '@switchboard/platform-kit/part-receipt';
import { nullIfCode, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { LINK_MAX, topic } from './manifest.js';
import { uploadMedia } from './media.js';
import {
  content,
  exists,
  identified,
  nothing,
  post,
  postList,
  publishingOptions,
  requestJson,
} from './wire.js';

export const publishing: Publishing = {
  count: codePoints,

  /** The link is a separate field there and does not count. */
  finalText: (draft) => draft.text,

  check: (draft: PartDraft) =>
    draft.link !== null && draft.link.length > LINK_MAX
      ? [
          {
            path: 'link',
            code: 'link.too_long',
            message: `The link may have at most ${LINK_MAX} characters.`,
          },
        ]
      : [],

  async publish(session, item, saveReceipt) {
    const receipt = openReceipt(item, saveReceipt);
    const requested =
      item.kind === 'comment' ? ok(buildComment(item)) : await buildPost(session, item, receipt);
    if (!requested.ok) return requested;
    const { path, ...json } = requested.value;
    const posted = await requestJson(session, { method: 'POST', path, json, effect: 'write' }, post);
    return posted.ok ? ok(part(item, posted.value)) : discardIfRefused(receipt, posted);
  },

  async find(session, item) {
    const query = { client_ref: item.reference, limit: 2 };
    const path = collectionPathOf(item);
    const found = await requestJson(session, { path, query }, postList);
    if (!found.ok) return found;
    const [first, second] = found.value.data;
    if (second) {
      return refuse('platform.outcome_unknown', 'Several posts have this reference.');
    }
    return ok(first ? part(item, first) : null);
  },

  /** Its ID is returned at once, its URL later. */
  async resolvePublishedUrl(session, { externalId }) {
    const path = `/social/api/posts/${encodeURIComponent(externalId)}`;
    const found = await requestJson(session, path, post, nullIfMissing);
    return found.ok && found.value ? ok(part({ kind: 'post' }, found.value)) : found;
  },

  exists: (session, part) => exists(session, pathOf(part), identified, nullIfMissing),

  async edit(session, part, { text, link }) {
    const json = isComment(part) ? { text } : { text, link };
    const edited = await requestJson(
      session,
      { method: 'PUT', path: pathOf(part), json, effect: 'write' },
      identified,
    );
    return edited.ok ? ok() : edited;
  },

  async isEdited(session, part, { text, link }) {
    const found = await requestJson(session, pathOf(part), content);
    if (!found.ok) return found;
    return ok(found.value.text === text && (isComment(part) || found.value.link === link));
  },

  async remove(session, part) {
    return requestJson(
      session,
      { method: 'DELETE', path: pathOf(part), effect: 'idempotent' },
      nothing,
      (words) => (words.code === 'not_found' ? ok() : undefined),
    );
  },

  async options(session) {
    const result = await fetchOptions(session);
    if (!result.ok) return result;
    const choices = result.value.topics.map(({ id, name }) => ({ value: id, label: name }));
    return ok({ options: [{ ...topic, choices }] });
  },

  async quotas(session) {
    const result = await fetchOptions(session);
    if (!result.ok) return result;
    const { used, limit, resets_at: resetsAt } = result.value.posts_today;
    return ok([
      { name: 'posts_per_day', used, limit, resetsAt: new Date(resetsAt), usedBy: ['post', 'thread'] },
    ]);
  },
};

const nullIfMissing = nullIfCode('not_found');

const fetchOptions = (session: Session) =>
  requestJson(session, '/social/api/publishing-options', publishingOptions);

const collectionPathOf = ({ kind }: Pick<PublishItem, 'kind'>) =>
  kind === 'comment' ? '/social/api/comments' : '/social/api/posts';

const isComment = ({ receipt }: Pick<PublishedPart, 'receipt'>) => receipt['kind'] === 'comment';

const pathOf = ({ externalId, receipt }: Pick<PublishedPart, 'externalId' | 'receipt'>) =>
  `${collectionPathOf({ kind: isComment({ receipt }) ? 'comment' : 'post' })}/${encodeURIComponent(externalId)}`;

const buildComment = ({ replyTo, text, reference }: PublishItem) => ({
  path: `/social/api/posts/${encodeURIComponent(replyTo?.parent.externalId ?? '')}/comments`,
  text,
  client_ref: reference,
});

async function buildPost(
  session: Session,
  item: PublishItem,
  receipt: PartReceipt,
): AdapterResult<Readonly<Record<string, unknown>> & { readonly path: string }> {
  const uploaded = await uploadMedia(session, item, receipt);
  if (!uploaded.ok) return uploaded;
  return ok({
    path: '/social/api/posts',
    text: item.text,
    ...(item.link === null ? {} : { link: item.link }),
    media: uploaded.value.map((id, at) => ({ id, alt_text: item.media[at]?.altText })),
    ...(item.replyTo ? { reply_to: item.replyTo.parent.externalId } : {}),
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
