import { ok, type Analytics } from '@switchboard/platform-kit';
import { readJson } from './client.js';
import { postPart } from './find-post.js';
import { postList } from './manifest.js';
import { metricsOf } from './metrics-of.js';
import { posts } from './wire.js';

/** A hundred long posts, each of them twice: as written, and as HTML. */
const BYTES_MAX = 16 * 1024 * 1024;

export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const path = `/user/${encodeURIComponent(session.account.username ?? '')}/submitted`;
  const query = { sort: 'new', limit: postList.postsPerPage, after: cursor ?? undefined };
  const page = await readJson(session, path, posts, query, undefined, BYTES_MAX);
  if (!page.ok) return page;
  const { children, after } = page.value.data;
  return ok({
    posts: children.map(({ data }) => ({
      externalId: data.name,
      publishedAt: new Date(data.created_utc * 1_000),
      url: postPart(data).url,
      text: data.title,
      metrics: metricsOf(data),
    })),
    next: after ?? null,
  });
};
