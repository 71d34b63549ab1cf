import { groupMetrics } from './groups.js';
import type { AnalyticsMetricName } from './metrics.js';
import type { CollectedMetrics } from './collected-metrics.js';

/** Which platforms a number is made of, and which were asked and did not give it. */
export interface MetricCoverage {
  readonly platforms: readonly string[];
  readonly missing: readonly string[];
}

export type Coverage = Readonly<Partial<Record<AnalyticsMetricName, MetricCoverage>>>;

/** A platform without a post in the range has nothing to give and is not missing, except where its accounts are asked. */
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
