import { ok, noMetrics, type Analytics } from '@switchboard/platform-kit';
import { readInBatches } from '@switchboard/platform-kit/read-metrics';
import { listPosts } from './list-posts.js';
import { metricsOf } from './metrics-of.js';
import { postViews, profile, requestJson } from './wire.js';

const POSTS_PER_REQUEST = 25;

export const analytics: Analytics = {
  listPosts,
  async ofPosts(session, externalIds) {
    return readInBatches(externalIds, POSTS_PER_REQUEST, async (uris) => {
      const views = await requestJson(
        session,
        { path: '/xrpc/app.bsky.feed.getPosts', query: { uris } },
        postViews,
      );
      return views.ok ? ok(views.value.posts.map((view) => [view.uri, metricsOf(view)])) : views;
    });
  },

  async ofAccount(session) {
    const known = await requestJson(
      session,
      { path: '/xrpc/app.bsky.actor.getProfile', query: { actor: session.account.id } },
      profile,
    );
    return known.ok ? ok({ ...noMetrics, followers: known.value.followersCount ?? null }) : known;
  },
};
