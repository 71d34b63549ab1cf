import { noMetrics, type Metrics } from '@switchboard/domain/analytics';
import { sumIfComplete } from '../kit/read-metrics.js';
import type { PostView } from './wire.js';

export const metricsOf = ({
  likeCount,
  replyCount,
  repostCount,
  quoteCount,
}: Omit<PostView, 'uri'>): Metrics => ({
  ...noMetrics,
  likes: likeCount ?? null,
  comments: replyCount ?? null,
  shares: sumIfComplete(repostCount, quoteCount),
});
