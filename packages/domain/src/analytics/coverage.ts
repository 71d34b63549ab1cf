import { groupMetrics } from './groups.js';
import type { AnalyticsMetricName } from './metrics.js';
import type { CollectedMetrics } from './collected-metrics.js';

/** The platforms that contribute to a metric, and those that were queried and did not report it. */
interface MetricCoverage {
  readonly platforms: readonly string[];
  readonly missing: readonly string[];
}

export type Coverage = Readonly<Partial<Record<AnalyticsMetricName, MetricCoverage>>>;

/** A platform without a post in the range is not missing, except where the metric belongs to its accounts. */
export function computeCoverage(numbers: CollectedMetrics, names: readonly AnalyticsMetricName[]): Coverage {
  const platforms = [...groupMetrics(numbers, 'platform')].sort((a, b) => (a.key < b.key ? -1 : 1));
  return Object.fromEntries(
    names.map((name) => {
      const expected = platforms.filter(({ postCount }) => name === 'followers' || postCount > 0);
      const keys = (known: boolean) =>
        expected.filter(({ metrics }) => (metrics[name] !== null) === known).map(({ key }) => key);
      return [name, { platforms: keys(true), missing: keys(false) }];
    }),
  );
}
