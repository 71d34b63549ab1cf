import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { readGroups } from '../kit/read-metrics.js';
import { localId } from './account-id.js';
import { account, dialect, statuses, type FoundStatus } from './wire.js';

/** More of them at once are a 422. */
const POSTS_PER_REQUEST = 20;

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    return readGroups(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const query = { 'id[]': ids };
      const read = await ask(
        session,
        dialect,
        { method: 'GET', path: '/api/v1/statuses', query, effect: 'read' },
        statuses,
      );
      return read.ok ? ok(read.value.map((status) => [status.id, metricsOf(status)])) : read;
    });
  },

  async ofAccount(session) {
    const read = await ask(
      session,
      dialect,
      { method: 'GET', path: `/api/v1/accounts/${localId(session)}`, effect: 'read' },
      account,
    );
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

const metricsOf = (status: FoundStatus): Metrics => ({
  ...noMetrics,
  likes: status.favourites_count ?? null,
  comments: status.replies_count ?? null,
  shares: status.reblogs_count ?? null,
});
