import { ok } from '@switchboard/domain';
import { noMetrics, type Metrics } from '@switchboard/domain/analytics';
import type { Analytics } from '@switchboard/domain/ports';
import { readInBatches } from '../kit/read-metrics.js';
import { readJson } from './client.js';
import { countedPosts, me, type CountedPost } from './wire.js';

/** The maximum number of posts per request. */
const POSTS_PER_REQUEST = 100;
const DELETED = '[deleted]';

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    return readInBatches(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const result = await readJson(session, '/api/info', countedPosts, { id: ids.join(',') });
      if (!result.ok) return result;
      const active = result.value.data.children.filter(({ data }) => data.author !== DELETED);
      return ok(active.map(({ data }) => [data.name, metricsOf(data)]));
    });
  },

  async ofAccount(session) {
    const result = await readJson(session, '/api/v1/me', me);
    if (!result.ok) return result;
    return ok({ ...noMetrics, followers: result.value.subreddit?.subscribers ?? null });
  },
};

const metricsOf = ({ score, num_comments: comments, num_crossposts: shares }: CountedPost): Metrics => ({
  ...noMetrics,
  // With more downvotes than upvotes, the number of upvotes is unknown.
  likes: score != null && score >= 0 ? score : null,
  comments: comments ?? null,
  shares: shares ?? null,
});
