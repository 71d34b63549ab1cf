import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { readGroups } from '../kit/read-metrics.js';
import { read } from './ask.js';
import { countedPosts, me, type CountedPost } from './wire.js';

/** More of them at once are not looked at. */
const POSTS_PER_REQUEST = 100;
const DELETED = '[deleted]';

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    return readGroups(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const told = await read(session, '/api/info', countedPosts, { id: ids.join(',') });
      if (!told.ok) return told;
      const standing = told.value.data.children.filter(({ data }) => data.author !== DELETED);
      return ok(standing.map(({ data }) => [data.name, metricsOf(data)]));
    });
  },

  async ofAccount(session) {
    const told = await read(session, '/api/v1/me', me);
    if (!told.ok) return told;
    return ok({ ...noMetrics, followers: told.value.subreddit?.subscribers ?? null });
  },
};

const metricsOf = ({ score, num_comments: comments, num_crossposts: shares }: CountedPost): Metrics => ({
  ...noMetrics,
  // Of more downvotes than upvotes nothing says how many upvotes there are.
  likes: score != null && score >= 0 ? score : null,
  comments: comments ?? null,
  shares: shares ?? null,
});
