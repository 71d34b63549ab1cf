import { ok, noMetrics, type Analytics } from '@switchboard/platform-kit';
import { nullIfCode } from '@switchboard/platform-kit/platform-client';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { accountInsights, postInsights, requestJson, postPage } from './wire.js';
import { postList } from './manifest.js';

const CONCURRENCY = 4;

export const analytics: Analytics = {
  async listPosts(session, { cursor }) {
    const query = { limit: postList.postsPerPage, page_token: cursor ?? undefined };
    const page = await requestJson(session, { path: '/social/api/posts', query }, postPage);
    if (!page.ok) return page;
    return ok({
      posts: page.value.data
        .filter((post) => post.reply_to === null)
        .map((post) => ({
          externalId: post.id,
          publishedAt: new Date(post.created_at),
          url: post.url,
          text: post.text,
          metrics: null,
        })),
      next: page.value.next_page_token,
    });
  },

  ofPosts: (session, externalIds) =>
    readEach(externalIds, CONCURRENCY, async (id) => {
      const path = `/social/api/posts/${encodeURIComponent(id)}/insights`;
      const insights = await requestJson(session, path, postInsights, nullIfCode('not_found'));
      return insights.ok ? ok(insights.value && { ...noMetrics, ...insights.value.metrics }) : insights;
    }),

  async ofAccount(session) {
    const insights = await requestJson(session, '/social/api/insights', accountInsights);
    return insights.ok ? ok({ ...noMetrics, ...insights.value.metrics }) : insights;
  },
};
