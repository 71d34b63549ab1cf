import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { readGroups, sumOf } from '../kit/read-metrics.js';
import { dialect, postViews, profile, type PostView } from './wire.js';

const POSTS_PER_REQUEST = 25;

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    return readGroups(externalIds, POSTS_PER_REQUEST, async (uris) => {
      const views = await ask(
        session,
        dialect,
        { method: 'GET', path: '/xrpc/app.bsky.feed.getPosts', query: { uris }, effect: 'read' },
        postViews,
      );
      return views.ok ? ok(views.value.posts.map((view) => [view.uri, metricsOf(view)])) : views;
    });
  },

  async ofAccount(session) {
    const known = await ask(
      session,
      dialect,
      {
        method: 'GET',
        path: '/xrpc/app.bsky.actor.getProfile',
        query: { actor: session.account.id },
        effect: 'read',
      },
      profile,
    );
    return known.ok ? ok({ ...noMetrics, followers: known.value.followersCount ?? null }) : known;
  },
};

const metricsOf = ({ likeCount, replyCount, repostCount, quoteCount }: PostView): Metrics => ({
  ...noMetrics,
  likes: likeCount ?? null,
  comments: replyCount ?? null,
  shares: sumOf(repostCount, quoteCount),
});
