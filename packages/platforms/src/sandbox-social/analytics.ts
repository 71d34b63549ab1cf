import { ok } from '@switchboard/domain';
import { noMetrics } from '@switchboard/domain/analytics';
import type { Analytics } from '@switchboard/domain/ports';
import { readEach } from '../kit/read-metrics.js';
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
