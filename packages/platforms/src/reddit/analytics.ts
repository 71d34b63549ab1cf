import { ok, noMetrics, type Analytics, type Metrics } from '@switchboard/platform-kit';
import { readInBatches } from '@switchboard/platform-kit/read-metrics';
import { readJson } from './client.js';
import { countedPosts, DELETED_AUTHOR, me, posts, type CountedPost } from './wire.js';
import { postPart } from './find-post.js';
import { postList } from './manifest.js';

/** A hundred long posts, each of them twice: as written, and as HTML. */
const BYTES_MAX = 16 * 1024 * 1024;

/** The maximum number of posts per request. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  async listPosts(session, { cursor }) {
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
  },

  async ofPosts(session, externalIds) {
    return readInBatches(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const result = await readJson(session, '/api/info', countedPosts, { id: ids.join(',') });
      if (!result.ok) return result;
      const active = result.value.data.children.filter(({ data }) => data.author !== DELETED_AUTHOR);
      return ok(active.map(({ data }) => [data.name, metricsOf(data)]));
    });
  },

  async ofAccount(session) {
    const result = await readJson(session, '/api/v1/me', me);
    if (!result.ok) return result;
    return ok({ ...noMetrics, followers: result.value.subreddit?.subscribers ?? null });
  },
};

const metricsOf = ({
  score,
  num_comments: comments,
  num_crossposts: shares,
}: Pick<CountedPost, 'score' | 'num_comments' | 'num_crossposts'>): Metrics => ({
  ...noMetrics,
  // With more downvotes than upvotes, the number of upvotes is unknown.
  likes: score != null && score >= 0 ? score : null,
  comments: comments ?? null,
  shares: shares ?? null,
});
