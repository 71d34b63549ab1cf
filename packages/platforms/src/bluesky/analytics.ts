import { ok, noMetrics, type Analytics, type Metrics } from '@switchboard/platform-kit';
import { readInBatches, sumIfComplete } from '@switchboard/platform-kit/read-metrics';
import { postViews, profile, requestJson, authorFeed, type PostView } from './wire.js';
import { postList } from './manifest.js';
import { postUrlOf } from './post-url-of.js';

/** The app view sorts by the earlier of both times (`sortAt`): a client may state any `createdAt`. */
const publishedAtOf = ({
  record,
  indexedAt,
}: {
  readonly record: { readonly createdAt: string };
  readonly indexedAt: string;
}) => {
  const [stated, indexed] = [Date.parse(record.createdAt), Date.parse(indexedAt)];
  return new Date(Number.isNaN(stated) ? indexed : Math.min(stated, indexed));
};

const POSTS_PER_REQUEST = 25;

export const analytics: Analytics = {
  async listPosts(session, { cursor }) {
    const page = await requestJson(
      session,
      {
        path: '/xrpc/app.bsky.feed.getAuthorFeed',
        query: {
          actor: session.account.id,
          filter: 'posts_no_replies',
          limit: postList.postsPerPage,
          cursor: cursor ?? undefined,
        },
      },
      authorFeed,
    );
    if (!page.ok) return page;
    const own = page.value.feed.filter(
      ({ post, reason }) =>
        reason === undefined && post.record.reply === undefined && post.author.did === session.account.id,
    );
    return ok({
      posts: own.map(({ post }) => ({
        externalId: post.uri,
        publishedAt: publishedAtOf(post),
        url: postUrlOf(post.uri),
        text: post.record.text,
        metrics: metricsOf(post),
      })),
      next: page.value.cursor ?? null,
    });
  },

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

const metricsOf = ({ likeCount, replyCount, repostCount, quoteCount }: Omit<PostView, 'uri'>): Metrics => ({
  ...noMetrics,
  likes: likeCount ?? null,
  comments: replyCount ?? null,
  shares: sumIfComplete(repostCount, quoteCount),
});
