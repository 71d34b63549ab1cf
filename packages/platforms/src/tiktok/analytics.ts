import { ok, noMetrics, type Analytics } from '@switchboard/platform-kit';
import { readInBatches } from '@switchboard/platform-kit/read-metrics';
import { requestJson } from './client.js';
import { METRIC_FIELDS, metricsOf } from './metrics-of.js';
import { counted, stats } from './wire.js';
import { listVideos } from './list-videos.js';
import { urlOf } from './post-status.js';

/** More of them per request are refused. */
const POSTS_PER_REQUEST = 20;
const fields = `id,${METRIC_FIELDS}`;

export const analytics: Analytics = {
  async listPosts(session, { cursor }) {
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
  },

  ofPosts: (session, externalIds) =>
    readInBatches(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const requested = { query: { fields }, json: { filters: { video_ids: ids } } };
      const read = await requestJson(
        session,
        { method: 'POST', path: '/v2/video/query/', ...requested, effect: 'read' },
        counted,
      );
      return read.ok ? ok((read.value.data.videos ?? []).map((one) => [one.id, metricsOf(one)])) : read;
    }),

  async ofAccount(session) {
    const query = { fields: 'follower_count' };
    const read = await requestJson(session, { path: '/v2/user/info/', query }, stats);
    return read.ok ? ok({ ...noMetrics, followers: read.value.data.user.follower_count ?? null }) : read;
  },
};
