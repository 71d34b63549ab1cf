import { noMetrics, ok, type Analytics } from '@switchboard/platform-kit';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { listActivity, onePost, readJson, whenMissing, type PostView } from './client.js';
import { postPart } from './find-part.js';
import { PER_PAGE } from './manifest.js';

const metricsOf = ({ counts }: PostView) => ({
  ...noMetrics,
  likes: counts.upvotes,
  comments: counts.comments,
});

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readEach(externalIds, 4, async (externalId) => {
      const seen = await readJson(session, '/api/v3/post', { id: externalId }, onePost, whenMissing);
      if (!seen.ok) return seen;
      const view = seen.value?.post_view;
      return ok(view && !view.post.deleted && !view.post.removed ? metricsOf(view) : null);
    }),

  async listPosts(session, { cursor }) {
    const page = Number(cursor ?? 1);
    const listed = await listActivity(session, page, PER_PAGE);
    if (!listed.ok) return listed;
    const posts = listed.value.posts
      .filter(({ post }) => !post.deleted && !post.removed)
      .map((view) => ({
        ...postPart(view),
        publishedAt: new Date(view.post.published),
        text: view.post.name,
        metrics: metricsOf(view),
      }));
    return ok({ posts, next: listed.value.posts.length < PER_PAGE ? null : String(page + 1) });
  },
};
