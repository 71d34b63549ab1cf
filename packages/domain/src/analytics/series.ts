import type { SummedPosts } from '../ports/index.js';
import { sumAccounts, type AccountHistory } from './accounts.js';
import { startOfDay, type DateRange } from './date-range.js';
import { addMetricSums, noAccountMetrics, toAnalyticsMetrics } from './metric-sums.js';
import type { AnalyticsMetrics } from './metrics.js';
import { listBuckets, type Granularity } from './time-buckets.js';

export interface SeriesPoint {
  /** The first day of the day, week or month within the range. */
  readonly date: string;
  readonly postCount: number;
  readonly metrics: AnalyticsMetrics;
}

export interface SeriesInterval {
  readonly date: string;
  readonly startsAt: Date;
}

/** The days, weeks or months of a range; none for the total. */
export const listIntervals = (range: DateRange, granularity: Granularity): readonly SeriesInterval[] =>
  listBuckets(range, granularity).map((date) => ({ date, startsAt: startOfDay(date, range.timezone) }));

/**
 * A point for every interval: the posts by the time of publishing or of the gain, and, where accounts are
 * given, their followers at its end.
 */
export function buildSeries(
  intervals: readonly SeriesInterval[],
  summed: ReadonlyMap<number, SummedPosts>,
  accounts: readonly AccountHistory[] | null,
  { range: { endsAt }, now }: { readonly range: DateRange; readonly now: Date },
): readonly SeriesPoint[] {
  return intervals.map(({ date, startsAt: from }, index) => {
    const { postCount = 0, sums = addMetricSums([]) } = summed.get(index) ?? {};
    const to = intervals[index + 1]?.startsAt ?? endsAt;
    const hasBegun = from < now;
    const followers = accounts && hasBegun ? sumAccounts(accounts, { from, to }) : noAccountMetrics;
    return { date, postCount, metrics: toAnalyticsMetrics(sums, followers) };
  });
}
