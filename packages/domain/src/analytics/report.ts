import type { AnalyticsNote } from './analytics-note.js';
import type { Coverage } from './coverage.js';
import type { DateRange } from './date-range.js';
import type { AnalyticsGroup } from './groups.js';
import type { AnalyticsBasis } from '../ports/index.js';
import type { MetricChange } from './compare.js';
import type { AnalyticsMetricName, AnalyticsMetrics } from './metrics.js';
import type { SeriesPoint } from './series.js';

/** The same report for as many days before the range. */
export type PreviousReport = Pick<AnalyticsReport, 'range' | 'postCount' | 'totals'>;

/** Counts to date of the posts published in a range, or what was gained in it. */
export interface AnalyticsReport {
  readonly range: DateRange;
  readonly basis: AnalyticsBasis;
  readonly metrics: readonly AnalyticsMetricName[];
  readonly postCount: number;
  readonly totals: AnalyticsMetrics;
  /** Present when a comparison was requested. */
  readonly previous?: PreviousReport;
  readonly change?: Readonly<Record<AnalyticsMetricName, MetricChange>>;
  readonly coverage: Coverage;
  readonly groups: readonly AnalyticsGroup[];
  /** A point for every day, week or month of the range; empty for the total. */
  readonly series: readonly SeriesPoint[];
  readonly notes: readonly AnalyticsNote[];
  /** When the first snapshot of these accounts was taken. */
  readonly dataSince: Date | null;
  /** No metric is older than this. */
  readonly asOf: Date;
  readonly nextCursor: string | null;
}
