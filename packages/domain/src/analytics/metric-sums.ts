import {
  metricNames,
  type AccountMetrics,
  type AnalyticsMetricName,
  type AnalyticsMetrics,
  type Metrics,
} from './metrics.js';

const postMetricNames = metricNames.filter((name) => name !== 'followers');

/**
 * What is summed over posts. The rate covers the posts of which both impressions and engagements are known, so
 * that the likes of a platform without impressions do not raise it.
 */
export const metricSumNames = [
  ...postMetricNames,
  'engagements',
  'rated_impressions',
  'rated_engagements',
] as const;

/** Null where no value is known. */
export type MetricSums = Readonly<Record<(typeof metricSumNames)[number], number | null>>;

/** The sums of one post, or of what it gained. */
export function toMetricSums(metrics: Metrics): MetricSums {
  const { likes, comments, shares, saves, impressions } = metrics;
  const engagements = sumKnown([likes, comments, shares, saves]);
  const isRated = impressions !== null && engagements !== null;
  return {
    ...(Object.fromEntries(postMetricNames.map((name) => [name, metrics[name]])) as MetricSums),
    engagements,
    rated_impressions: isRated ? impressions : null,
    rated_engagements: isRated ? engagements : null,
  };
}

/** Sums the known values: a metric stays null until one value is known. */
export const addMetricSums = (all: readonly MetricSums[]): MetricSums =>
  Object.fromEntries(
    metricSumNames.map((name) => [name, sumKnown(all.map((sums) => sums[name]))]),
  ) as MetricSums;

/** The metrics that a report shows: those of posts, and those of accounts, which are not summed over posts. */
export const toAnalyticsMetrics = (
  { rated_impressions: ratedImpressions, rated_engagements: ratedEngagements, ...sums }: MetricSums,
  accounts: AccountMetrics = noAccountMetrics,
): AnalyticsMetrics => ({
  ...sums,
  ...accounts,
  engagement_rate: divide(ratedEngagements, ratedImpressions),
});

/** Rounded to six decimals; null where a value is unknown or the divisor is 0. */
export const divide = (value: number | null, by: number | null): number | null =>
  value !== null && by !== null && by > 0 ? Math.round((value / by) * RATE_PRECISION) / RATE_PRECISION : null;

export const noAccountMetrics: AccountMetrics = { followers: null, followers_gained: null };

/** Only the requested metrics. */
export const pickMetrics = (
  metrics: AnalyticsMetrics,
  names: readonly AnalyticsMetricName[],
): Partial<AnalyticsMetrics> => Object.fromEntries(names.map((name) => [name, metrics[name]]));

const RATE_PRECISION = 1_000_000;

export function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
