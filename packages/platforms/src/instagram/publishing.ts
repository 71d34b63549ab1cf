import { ok, refuse, type Publishing, type Session, type PublishItem } from '@switchboard/platform-kit';
import { findComment, createComment, type CommentApi } from '../graph/graph-comments.js';
import { publishContainer, findByContainer } from '../graph/graph-containers.js';
import { type GraphError, graphPage } from '../graph/graph.js';
import { objectExists, removeObject } from '../graph/graph-objects.js';
import { graphPart, fetchPublishedPart } from '../graph/graph-part.js';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { ListedPage } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { isPageLogin } from './connecting.js';
import { manifest } from './manifest.js';
import { containerPlanOf, containerApiOf } from './media.js';
import { finalText, rules, isStory } from './rules.js';
import { requestJson, usage, comment, mediaList, type FoundMedia } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) return createComment(session, commentApiOf(session), finalText(item), item.replyTo);
    const published = await publishContainer(
      session,
      containerApiOf(session),
      containerPlanOf(item),
      item,
      saveReceipt,
    );
    if (!published.ok) return published;
    return ok(await fetchPublishedPart(session, manifest.name, published.value));
  },

  async find(session, item) {
    if (item.replyTo) return findComment(session, commentApiOf(session), finalText(item), item, item.replyTo);
    const found = await findMedia(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink)) : found;
  },

  exists: (session, { externalId }) => objectExists(session, manifest.name, externalId),

  /** Documented for the Facebook login only. A comment is removed with its post. */
  async remove(session, { externalId }) {
    return isPageLogin(session)
      ? removeObject(session, manifest.name, externalId, explainUnsupportedKind)
      : removalUnsupported;
  },

  async quotas(session) {
    const path = `/${encodeURIComponent(session.account.id)}/content_publishing_limit`;
    const query = { fields: 'quota_usage,config' };
    const result = await requestJson(session, { path, query }, usage);
    if (!result.ok) return result;
    return ok(
      result.value.data.slice(0, 1).map(({ quota_usage: used, config }) => ({
        name: 'posts',
        used,
        limit: config.quota_total,
        resetsAt: null,
        usedBy: ['post'] as const,
      })),
    );
  },
};

const removalUnsupported = refuse(
  'platform.permission_missing',
  'This connect method cannot delete posts. Delete it in the Instagram app, or connect the account through its Facebook Page to delete posts from here.',
);

const UNSUPPORTED_KIND = 2_207_073;
/** An advertisement, for example. Meta returns a server error for it. */
const explainUnsupportedKind = ({ subcode }: GraphError) =>
  subcode === UNSUPPORTED_KIND
    ? refuse(
        'platform.refused',
        'Instagram does not support deleting this kind of post. Delete it in the app.',
      )
    : undefined;

/** The author is reported by name, or only for the account's own comments. */
const commentApiOf = ({ account }: Session): CommentApi => ({
  name: manifest.name,
  query: { fields: 'id,text,timestamp,username,user' },
  row: comment.transform(({ id, text, timestamp, username, user }) => ({
    id,
    text: text ?? null,
    createdAt: timestamp,
    isOwn: user != null || (username == null ? null : username === account.username),
  })),
});

const PAGE = 50;
const PAGES_MAX = 4;
const fields = 'id,permalink,timestamp,caption,media_type,children';

/** The account's post, or story, that is this item. */
const findMedia = (session: Session, item: PublishItem): AdapterResult<FoundMedia | null> =>
  findByContainer(containerApiOf(session), item, {
    hasText: !isStory(item) && finalText(item).trim() !== '',
    pagesMax: PAGES_MAX,
    page: (after) => mediaPage(session, isStory(item) ? 'stories' : 'media', after),
    isItem: (one) => matchesItem(one, item),
  });

async function mediaPage(
  session: Session,
  edge: string,
  after: string | undefined,
): AdapterResult<ListedPage<FoundMedia>> {
  const query = { fields, limit: PAGE, after };
  const request = { path: `/${encodeURIComponent(session.account.id)}/${edge}`, query };
  const listed = await requestJson(session, request, mediaList);
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same text and the same number of media. A story has no text. */
const matchesItem = (one: FoundMedia, item: PublishItem): boolean =>
  (isStory(item) || normalizeText(one.caption ?? '') === normalizeText(finalText(item))) &&
  (one.media_type === 'CAROUSEL_ALBUM' ? (one.children?.data.length ?? 0) : 1) === item.mediaCount;
