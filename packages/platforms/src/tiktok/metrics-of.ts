import { noMetrics, type Metrics } from '@switchboard/platform-kit';
import type { CountedVideo } from './wire.js';

export const METRIC_FIELDS = 'view_count,like_count,comment_count,share_count';

export const metricsOf = (video: Omit<CountedVideo, 'id'>): Metrics => ({
  ...noMetrics,
  views: video.view_count ?? null,
  likes: video.like_count ?? null,
  comments: video.comment_count ?? null,
  shares: video.share_count ?? null,
});
