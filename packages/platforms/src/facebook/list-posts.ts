import { ok, type Analytics } from '@switchboard/platform-kit';
import { graphPage } from '../graph/graph.js';
import { requestJson } from './client.js';
import { postList } from './manifest.js';
import { listedPosts, type ListedPost } from './wire.js';

const fields = 'id,created_time,message,permalink_url,attachments{type,target}';

/** A video is published, and has metrics, under its own ID. */
function externalIdOf({ id, attachments }: ListedPost): string {
  const [only, ...others] = attachments?.data ?? [];
  // A link to a video elsewhere is of the type `video_share_youtube`.
  const isVideo = others.length === 0 && /^(?:video(?!_share)|reel)/i.test(only?.type ?? '');
  return (isVideo ? only?.target?.id : undefined) ?? id;
}

export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const path = `/${encodeURIComponent(session.account.id)}/published_posts`;
  const query = { fields, limit: postList.postsPerPage, after: cursor ?? undefined };
  const page = await requestJson(session, { path, query }, listedPosts);
  if (!page.ok) return page;
  const { found, next } = graphPage(page.value);
  return ok({
    posts: found.map((post) => ({
      externalId: externalIdOf(post),
      publishedAt: new Date(post.created_time),
      url: post.permalink_url ?? null,
      text: post.message ?? '',
      metrics: null,
    })),
    next: next ?? null,
  });
};
