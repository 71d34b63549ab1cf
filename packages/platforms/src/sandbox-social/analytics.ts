import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { accountInsights, dialect, postInsights } from './wire.js';

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    const found = new Map<string, Metrics>();
    for (const id of externalIds) {
      const path = `/social/api/posts/${encodeURIComponent(id)}/insights`;
      const insights = await ask(
        session,
        dialect,
        { method: 'GET', path, effect: 'read' },
        postInsights,
        (words) => (words.code === 'not_found' ? ok(null) : undefined),
      );
      if (!insights.ok) return insights;
      if (insights.value) found.set(id, { ...noMetrics, ...insights.value.metrics });
    }
    return ok(found);
  },

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
