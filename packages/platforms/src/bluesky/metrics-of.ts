import { noMetrics, type Metrics } from '@switchboard/platform-kit';
import { sumIfComplete } from '@switchboard/platform-kit/read-metrics';
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
