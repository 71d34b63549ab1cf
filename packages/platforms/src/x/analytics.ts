import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { countedPosts, dialect, me, type CountedPost } from './wire.js';

/** More of them at once are refused. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    const found = new Map<string, Metrics>();
    for (let at = 0; at < externalIds.length; at += POSTS_PER_REQUEST) {
      const read = await ask(
        session,
        dialect,
        {
          method: 'GET',
          path: '/2/tweets',
          query: {
            ids: externalIds.slice(at, at + POSTS_PER_REQUEST).join(','),
            'tweet.fields': 'public_metrics,non_public_metrics',
          },
          effect: 'read',
        },
        countedPosts,
      );
      if (!read.ok) return read;
      for (const post of read.value.data ?? []) found.set(post.id, metricsOf(post));
    }
    return ok(found);
  },

  async ofAccount(session) {
    const query = { 'user.fields': 'public_metrics' };
    const read = await ask(
      session,
      dialect,
      { method: 'GET', path: '/2/users/me', query, effect: 'read' },
      me,
    );
    if (!read.ok) return read;
    return ok({ ...noMetrics, followers: read.value.data.public_metrics?.followers_count ?? null });
  },
};

function metricsOf({ public_metrics: told, non_public_metrics: own }: CountedPost): Metrics {
  const reposts = told.repost_count ?? told.retweet_count ?? null;
  const quotes = told.quote_count ?? null;
  return {
    ...noMetrics,
    impressions: told.impression_count ?? null,
    likes: told.like_count ?? null,
    comments: told.reply_count ?? null,
    shares: reposts === null || quotes === null ? null : reposts + quotes,
    saves: told.bookmark_count ?? null,
    clicks: own?.url_link_clicks ?? null,
  };
}
