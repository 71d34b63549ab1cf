import { noMetrics, type Metrics } from '@switchboard/platform-kit';
import type { FoundStatus } from './wire.js';

export const metricsOf = (
  status: Pick<FoundStatus, 'favourites_count' | 'replies_count' | 'reblogs_count'>,
): Metrics => ({
  ...noMetrics,
  likes: status.favourites_count ?? null,
  comments: status.replies_count ?? null,
  shares: status.reblogs_count ?? null,
});
