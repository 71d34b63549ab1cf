import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { localId } from './account-id.js';
import { account, dialect, statuses } from './wire.js';

/** More of them at once are a 422. */
const POSTS_PER_REQUEST = 20;

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    const found = new Map<string, Metrics>();
    for (let at = 0; at < externalIds.length; at += POSTS_PER_REQUEST) {
      const query = { 'id[]': externalIds.slice(at, at + POSTS_PER_REQUEST) };
      const read = await ask(
        session,
        dialect,
        { method: 'GET', path: '/api/v1/statuses', query, effect: 'read' },
        statuses,
      );
      if (!read.ok) return read;
      for (const status of read.value) {
        found.set(status.id, {
          ...noMetrics,
          likes: status.favourites_count ?? null,
          comments: status.replies_count ?? null,
          shares: status.reblogs_count ?? null,
        });
      }
    }
    return ok(found);
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
