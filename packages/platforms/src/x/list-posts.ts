import { ok, type Analytics } from '@switchboard/platform-kit';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { postList } from './manifest.js';
import { requestPosts } from './post-fields.js';
import { errorMapping, timeline } from './wire.js';

/** Every returned post has a price, so that none is requested that would be left out. */
export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor, since }) => {
  const page = await requestPosts(
    session,
    `/2/users/${encodeURIComponent(session.account.id)}/tweets`,
    {
      max_results: postList.postsPerPage,
      exclude: 'replies,retweets',
      // To the second: X does not accept fractions.
      start_time: since?.toISOString().replace(/\.\d+Z$/, 'Z'),
      pagination_token: cursor ?? undefined,
    },
    ['created_at'],
    timeline,
  );
  if (!page.ok) return page;
  const { data, meta } = page.value;
  const posts = data ?? [];
  if (posts.some(({ created_at: at }) => at == null)) return unreadableResponse(errorMapping, 'read');
  return ok({
    posts: posts.map(({ id, created_at: at, text }) => ({
      externalId: id,
      publishedAt: new Date(at ?? 0),
      url: `https://x.com/i/status/${id}`,
      text,
      // A list contains neither the clicks nor the views of a video.
      metrics: null,
    })),
    next: meta.next_token ?? null,
  });
};
