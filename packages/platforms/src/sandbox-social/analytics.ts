import { noMetrics, ok, type Analytics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { readEach } from '../kit/read-metrics.js';
import { accountInsights, dialect, postInsights } from './wire.js';

const AT_ONCE = 4;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readEach(externalIds, AT_ONCE, async (id) => {
      const path = `/social/api/posts/${encodeURIComponent(id)}/insights`;
      const insights = await ask(
        session,
        dialect,
        { method: 'GET', path, effect: 'read' },
        postInsights,
        (words) => (words.code === 'not_found' ? ok(null) : undefined),
      );
      return insights.ok ? ok(insights.value && { ...noMetrics, ...insights.value.metrics }) : insights;
    }),

  async ofAccount(session) {
    const insights = await ask(
      session,
      dialect,
      { method: 'GET', path: '/social/api/insights', effect: 'read' },
      accountInsights,
    );
    return insights.ok ? ok({ ...noMetrics, ...insights.value.metrics }) : insights;
  },
};
