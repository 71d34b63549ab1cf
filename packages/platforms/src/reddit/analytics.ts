import { ok, noMetrics, type Analytics } from '@switchboard/platform-kit';
import { readInBatches } from '@switchboard/platform-kit/read-metrics';
import { readJson } from './client.js';
import { listPosts } from './list-posts.js';
import { metricsOf } from './metrics-of.js';
import { countedPosts, DELETED_AUTHOR, me } from './wire.js';

/** The maximum number of posts per request. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  listPosts,
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
