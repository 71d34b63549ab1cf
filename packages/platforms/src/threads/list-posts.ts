import { ok, type Analytics } from '@switchboard/platform-kit';
import { graphPage } from '../graph/graph.js';
import { postList } from './manifest.js';
import { posts, requestJson } from './wire.js';

const fields = 'id,permalink,timestamp,text,media_type';
const REPOST = 'REPOST_FACADE';

/** Replies are a list of their own. */
export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const page = await requestJson(
    session,
    {
      path: `/${encodeURIComponent(session.account.id)}/threads`,
      query: { fields, limit: postList.postsPerPage, after: cursor ?? undefined },
    },
    posts,
  );
  if (!page.ok) return page;
  const { found, next } = graphPage(page.value);
  return ok({
    posts: found
      .filter(({ media_type: type }) => type !== REPOST)
      .map(({ id, timestamp, permalink, text }) => ({
        externalId: id,
        publishedAt: new Date(timestamp),
        url: permalink ?? null,
        text: text ?? '',
        metrics: null,
      })),
    next: next ?? null,
  });
};
