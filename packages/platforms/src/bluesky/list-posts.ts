import { ok, type Analytics } from '@switchboard/platform-kit';
import { postList } from './manifest.js';
import { metricsOf } from './metrics-of.js';
import { postUrlOf } from './post-url-of.js';
import { authorFeed, requestJson } from './wire.js';

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

export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
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
};
