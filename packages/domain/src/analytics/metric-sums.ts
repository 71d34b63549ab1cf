import { metricNames, type AnalyticsMetricName, type AnalyticsMetrics, type Metrics } from './metrics.js';

/**
 * Sums the known values: a metric stays null until one value is known. Followers belong to accounts and are
 * not summed over posts. The rate covers the posts of which both impressions and engagements are known, so
 * that the likes of a platform without impressions do not raise it.
 */
export function sumMetrics(posts: readonly Metrics[], accounts: readonly Metrics[]): AnalyticsMetrics {
  const sums = Object.fromEntries(
    metricNames.map((name) => [
      name,
      sumKnown((name === 'followers' ? accounts : posts).map((of) => of[name])),
    ]),
  ) as Metrics;
  return {
    ...sums,
    engagements: sumKnown(posts.map(engagementsOf)),
    engagement_rate: engagementRateOf(posts),
  };
}

/** Only the requested metrics. */
export const pickMetrics = (
  metrics: AnalyticsMetrics,
  names: readonly AnalyticsMetricName[],
): Partial<AnalyticsMetrics> => Object.fromEntries(names.map((name) => [name, metrics[name]]));

const engagementsOf = ({ likes, comments, shares, saves }: Metrics): number | null =>
  sumKnown([likes, comments, shares, saves]);

function engagementRateOf(posts: readonly Metrics[]): number | null {
  const both = posts.filter((post) => post.impressions !== null && engagementsOf(post) !== null);
  const impressions = sumKnown(both.map((post) => post.impressions));
  const engagements = sumKnown(both.map(engagementsOf));
  if (!impressions || engagements === null) return null;
  return Math.round((engagements / impressions) * RATE_PRECISION) / RATE_PRECISION;
}

const RATE_PRECISION = 1_000_000;

function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
