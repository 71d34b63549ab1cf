import { noMetrics, type Metrics } from '@switchboard/platform-kit';
import type { CountedPost } from './wire.js';

export const metricsOf = ({
  score,
  num_comments: comments,
  num_crossposts: shares,
}: Pick<CountedPost, 'score' | 'num_comments' | 'num_crossposts'>): Metrics => ({
  ...noMetrics,
  // With more downvotes than upvotes, the number of upvotes is unknown.
  likes: score != null && score >= 0 ? score : null,
  comments: comments ?? null,
  shares: shares ?? null,
});
