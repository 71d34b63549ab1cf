import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/platform-kit';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { activity, onePost, readJson, whenMissing, type PostView } from './client.js';
import { postList } from './manifest.js';
import { postPart } from './publishing.js';

const CONCURRENCY = 4;

const metricsOf = ({ counts }: PostView): Metrics => ({
  ...noMetrics,
  likes: counts.upvotes,
  comments: counts.comments,
});

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readEach(externalIds, CONCURRENCY, async (externalId) => {
      const query = { id: Number(externalId) };
      const found = await readJson(session, '/api/v3/post', query, onePost, whenMissing('couldnt_find_post'));
      if (!found.ok) return found;
      const view = found.value?.post_view;
      return ok(view && !view.post.deleted ? metricsOf(view) : null);
    }),

  async listPosts(session, { cursor }) {
    const page = Number(cursor ?? 1);
    const query = { person_id: session.account.id, sort: 'New', page, limit: postList.postsPerPage };
    const listed = await readJson(session, '/api/v3/user', query, activity);
    if (!listed.ok) return listed;
    const { posts } = listed.value;
    return ok({
      posts: posts
        .filter(({ post }) => !post.deleted)
        .map((view) => ({
          ...postPart(view),
          publishedAt: new Date(view.post.published),
          text: view.post.name,
          metrics: metricsOf(view),
        })),
      next: posts.length < postList.postsPerPage ? null : String(page + 1),
    });
  },
};
