import { ok, type Analytics } from '@switchboard/platform-kit';
import { graphPage } from '../graph/graph.js';
import { postList } from './manifest.js';
import { mediaList, requestJson } from './wire.js';

const fields = 'id,permalink,timestamp,caption';

/** Stories are a list of their own, and last for a day. */
export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const path = `/${encodeURIComponent(session.account.id)}/media`;
  const query = { fields, limit: postList.postsPerPage, after: cursor ?? undefined };
  const page = await requestJson(session, { path, query }, mediaList);
  if (!page.ok) return page;
  const { found, next } = graphPage(page.value);
  return ok({
    posts: found.map(({ id, timestamp, permalink, caption }) => ({
      externalId: id,
      publishedAt: new Date(timestamp),
      url: permalink ?? null,
      text: caption ?? '',
      metrics: null,
    })),
    next: next ?? null,
  });
};
