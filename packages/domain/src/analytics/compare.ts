import { analyticsMetricNames, type AnalyticsMetricName, type AnalyticsMetrics } from './metrics.js';

/** How a metric changed; null where one of the two values is unknown, and in percent where the earlier is 0. */
export interface MetricChange {
  readonly absolute: number | null;
  /** Rounded to two decimals. */
  readonly percent: number | null;
}

const roundTo = (value: number, precision: number) => Math.round(value * precision) / precision;

export const compareMetrics = (
  current: AnalyticsMetrics,
  previous: AnalyticsMetrics,
): Readonly<Record<AnalyticsMetricName, MetricChange>> =>
  Object.fromEntries(
    analyticsMetricNames.map((name) => [name, changeOf(current[name], previous[name])]),
  ) as Record<AnalyticsMetricName, MetricChange>;

function changeOf(current: number | null, previous: number | null): MetricChange {
  if (current === null || previous === null) return { absolute: null, percent: null };
  const absolute = roundTo(current - previous, 1_000_000);
  const percent = previous === 0 ? null : roundTo((absolute / Math.abs(previous)) * 100, 100);
  return { absolute, percent };
}
