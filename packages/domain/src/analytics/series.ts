import { dateIn, type DateRange } from './date-range.js';
import { sumMetrics } from './metric-sums.js';
import type { AnalyticsMetrics } from './metrics.js';
import { countPosts, type PostMetrics } from './collected-metrics.js';
import { findBucket, listBuckets, type Granularity } from './time-buckets.js';

export interface SeriesPoint {
  /** The first day of the day, week or month within the range. */
  readonly date: string;
  readonly postCount: number;
  readonly metrics: AnalyticsMetrics;
}

/** Lifetime metrics of the posts by publication date. Followers have no such date and are null here. */
export function buildSeries(
  posts: readonly PostMetrics[],
  range: DateRange,
  granularity: Granularity,
): readonly SeriesPoint[] {
  if (granularity === 'total') return [];
  const buckets = new Map<string, PostMetrics[]>(listBuckets(range, granularity).map((date) => [date, []]));
  for (const post of posts) {
    buckets.get(findBucket(dateIn(post.publishedAt, range.timezone), range.from, granularity))?.push(post);
  }
  return [...buckets].map(([date, bucketPosts]) => ({
    date,
    postCount: countPosts(bucketPosts),
    metrics: sumMetrics(
      bucketPosts.map(({ metrics }) => metrics),
      [],
    ),
  }));
}
