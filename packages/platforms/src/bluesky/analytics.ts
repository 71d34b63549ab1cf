import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { dialect, postViews, profile } from './wire.js';

const POSTS_PER_REQUEST = 25;

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    const found = new Map<string, Metrics>();
    for (let at = 0; at < externalIds.length; at += POSTS_PER_REQUEST) {
      const views = await ask(
        session,
        dialect,
        {
          method: 'GET',
          path: '/xrpc/app.bsky.feed.getPosts',
          query: { uris: externalIds.slice(at, at + POSTS_PER_REQUEST) },
          effect: 'read',
        },
        postViews,
      );
      if (!views.ok) return views;
      for (const view of views.value.posts) {
        found.set(view.uri, {
          ...noMetrics,
          likes: view.likeCount ?? null,
          comments: view.replyCount ?? null,
          shares: sum(view.repostCount, view.quoteCount),
        });
      }
    }
    return ok(found);
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

/** Null when neither is told: nobody knows is not none. */
const sum = (reposts: number | undefined, quotes: number | undefined): number | null =>
  reposts === undefined && quotes === undefined ? null : (reposts ?? 0) + (quotes ?? 0);
