import { ok } from '@switchboard/domain';
import { noMetrics } from '@switchboard/domain/analytics';
import type { Analytics } from '@switchboard/domain/ports';
import { readInBatches } from '../kit/read-metrics.js';
import { requestJson } from './client.js';
import { counted, stats, type CountedVideo } from './wire.js';

/** More of them per request are refused. */
const POSTS_PER_REQUEST = 20;
const fields = 'id,view_count,like_count,comment_count,share_count';

export const analytics: Analytics = {
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

const metricsOf = (video: CountedVideo) => ({
  ...noMetrics,
  views: video.view_count ?? null,
  likes: video.like_count ?? null,
  comments: video.comment_count ?? null,
  shares: video.share_count ?? null,
});
