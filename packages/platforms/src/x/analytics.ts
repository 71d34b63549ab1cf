import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { readGroups, sumOf } from '../kit/read-metrics.js';
import { ask, countedPosts, me, type CountedPost } from './wire.js';

/** More of them at once are refused. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    return readGroups(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const query = { ids: ids.join(','), 'tweet.fields': 'public_metrics,non_public_metrics' };
      const read = await ask(
        session,
        { method: 'GET', path: '/2/tweets', query, effect: 'read' },
        countedPosts,
      );
      return read.ok ? ok((read.value.data ?? []).map((post) => [post.id, metricsOf(post)])) : read;
    });
  },

  async ofAccount(session) {
    const query = { 'user.fields': 'public_metrics' };
    const read = await ask(session, { method: 'GET', path: '/2/users/me', query, effect: 'read' }, me);
    if (!read.ok) return read;
    return ok({ ...noMetrics, followers: read.value.data.public_metrics?.followers_count ?? null });
  },
};

function metricsOf({ public_metrics: told, non_public_metrics: own }: CountedPost): Metrics {
  return {
    ...noMetrics,
    impressions: told.impression_count ?? null,
    likes: told.like_count ?? null,
    comments: told.reply_count ?? null,
    shares: sumOf(told.repost_count ?? told.retweet_count, told.quote_count),
    saves: told.bookmark_count ?? null,
    clicks: own?.url_link_clicks ?? null,
  };
}
