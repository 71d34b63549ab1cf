import { ok, type Analytics } from '@switchboard/platform-kit';
import { listVideos } from './list-videos.js';
import { metricsOf } from './metrics-of.js';
import { urlOf } from './post-status.js';

export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const page = await listVideos(session, cursor ?? undefined);
  if (!page.ok) return page;
  return ok({
    posts: page.value.found.map((video) => ({
      externalId: video.id,
      publishedAt: new Date(video.create_time * 1_000),
      url: urlOf(session, video.share_url?.includes('/photo/') ? 'photo' : 'video', video.id),
      text: video.title || video.video_description || '',
      metrics: metricsOf(video),
    })),
    next: page.value.next ?? null,
  });
};
