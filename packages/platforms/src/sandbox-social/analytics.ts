import { ok, noMetrics, type Analytics } from '@switchboard/platform-kit';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { listPosts } from './list-posts.js';
import { accountInsights, postInsights, requestJson } from './wire.js';

const CONCURRENCY = 4;

export const analytics: Analytics = {
  listPosts,
  ofPosts: (session, externalIds) =>
    readEach(externalIds, CONCURRENCY, async (id) => {
      const path = `/social/api/posts/${encodeURIComponent(id)}/insights`;
      const insights = await requestJson(session, path, postInsights, (words) =>
        words.code === 'not_found' ? ok(null) : undefined,
      );
      return insights.ok ? ok(insights.value && { ...noMetrics, ...insights.value.metrics }) : insights;
    }),

  async ofAccount(session) {
    const insights = await requestJson(session, '/social/api/insights', accountInsights);
    return insights.ok ? ok({ ...noMetrics, ...insights.value.metrics }) : insights;
  },
};
