import { ok, type Publishing, type PublishItem, type Session } from '@switchboard/platform-kit';
import { publishContainer, findByContainer } from '../graph/graph-containers.js';
import { objectExists, removeObject } from '../graph/graph-objects.js';
import { graphPart, fetchPublishedPart } from '../graph/graph-part.js';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { graphPage } from '../graph/graph.js';
import type { ListedPage } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { manifest } from './manifest.js';
import { containerPlanOf, containerApiOf } from './media.js';
import { rules, finalText } from './rules.js';
import { requestJson, usage, posts, type FoundPost } from './wire.js';

const quotaFields = 'quota_usage,config,reply_quota_usage,reply_config';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
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
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink)) : found;
  },

  exists: (session, { externalId }) => objectExists(session, manifest.name, externalId),
  remove: (session, { externalId }) => removeObject(session, manifest.name, externalId),

  async quotas(session) {
    const path = `/${encodeURIComponent(session.account.id)}/threads_publishing_limit`;
    const result = await requestJson(session, { path, query: { fields: quotaFields } }, usage);
    if (!result.ok) return result;
    const [row] = result.value.data;
    if (!row) return ok([]);
    const { quota_usage: used, config, reply_quota_usage: repliesUsed, reply_config: replies } = row;
    return ok([
      { name: 'posts', used, limit: config.quota_total, resetsAt: null, usedBy: ['post'] },
      ...(replies
        ? [
            {
              name: 'replies',
              used: repliesUsed ?? 0,
              limit: replies.quota_total,
              resetsAt: null,
              usedBy: ['thread', 'comment'] as const,
            },
          ]
        : []),
    ]);
  },
};

const PAGE = 100;
const PAGES_MAX = 3;
const fields = 'id,permalink,timestamp,text,media_type,children,replied_to';

const findPost = (session: Session, item: PublishItem): AdapterResult<FoundPost | null> =>
  findByContainer(containerApiOf(session), item, {
    hasText: finalText(item).trim() !== '',
    pagesMax: PAGES_MAX,
    page: (after, since) => postsPage(session, item, since, after),
    isItem: (post) => matchesItem(post, item),
  });

async function postsPage(
  session: Session,
  { replyTo }: PublishItem,
  since: Date,
  after: string | undefined,
): AdapterResult<ListedPage<FoundPost>> {
  const listed = await requestJson(
    session,
    {
      path: `/${encodeURIComponent(session.account.id)}/${replyTo ? 'replies' : 'threads'}`,
      query: { fields, limit: PAGE, since: Math.floor(since.getTime() / 1_000), after },
    },
    posts,
  );
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

/** The same text in the same place, with as many media. */
const matchesItem = (post: FoundPost, item: PublishItem): boolean =>
  normalizeText(post.text ?? '') === normalizeText(finalText(item)) &&
  (post.replied_to?.id ?? null) === (item.replyTo?.parent.externalId ?? null) &&
  mediaCountOf(post) === item.mediaCount;

function mediaCountOf({ media_type: type, children }: FoundPost): number {
  if (type === 'CAROUSEL_ALBUM') return children?.data.length ?? 0;
  return type === 'IMAGE' || type === 'VIDEO' ? 1 : 0;
}
