import { dateIn, type DateRange } from './date-range.js';
import { sumMetrics } from './metric-sums.js';
import type { AnalyticsMetrics } from './metrics.js';
import { countPosts, type PostNumbers } from './numbers.js';
import { bucketOf, bucketsOf, type Granularity } from './time-buckets.js';

export interface SeriesPoint {
  /** The first day of the day, week or month within the range. */
  readonly date: string;
  readonly postCount: number;
  readonly metrics: AnalyticsMetrics;
}

/** Numbers to date of the posts by when they were published. Followers have no such date and stay unknown here. */
export function seriesOf(
  posts: readonly PostNumbers[],
  range: DateRange,
  granularity: Granularity,
): readonly SeriesPoint[] {
  if (granularity === 'total') return [];
  const buckets = new Map<string, PostNumbers[]>(bucketsOf(range, granularity).map((date) => [date, []]));
  for (const post of posts) {
    buckets.get(bucketOf(dateIn(post.publishedAt, range.timezone), range.from, granularity))?.push(post);
  }
  return [...buckets].map(([date, some]) => ({
    date,
    postCount: countPosts(some),
    metrics: sumMetrics(
      some.map(({ metrics }) => metrics),
      [],
    ),
  }));
}
