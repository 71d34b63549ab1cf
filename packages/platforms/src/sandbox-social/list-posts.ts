import { ok, type Analytics } from '@switchboard/platform-kit';
import { postList } from './manifest.js';
import { postPage, requestJson } from './wire.js';

export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const query = { limit: postList.postsPerPage, page_token: cursor ?? undefined };
  const page = await requestJson(session, { path: '/social/api/posts', query }, postPage);
  if (!page.ok) return page;
  return ok({
    posts: page.value.data
      .filter((post) => post.reply_to === null)
      .map((post) => ({
        externalId: post.id,
        publishedAt: new Date(post.created_at),
        url: post.url,
        text: post.text,
        metrics: null,
      })),
    next: page.value.next_page_token,
  });
};
