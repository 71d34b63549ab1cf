import type { Chart, ChartCategory, ChartKind, ChartSeries } from './chart.js';
import type { GroupBy } from './groups.js';
import type { AnalyticsMetricName, AnalyticsMetrics } from './metrics.js';
import type { AnalyticsReport } from './report.js';
import type { Granularity } from './time-buckets.js';

interface ChartedReport extends Pick<
  AnalyticsReport,
  'range' | 'basis' | 'metrics' | 'totals' | 'groups' | 'series'
> {
  readonly groupSeries: ReadonlyMap<string, AnalyticsReport['series']>;
  readonly next?: string | undefined;
}

interface ChartOptions {
  readonly kind: ChartKind;
  readonly granularity: Granularity;
  readonly groupBy: GroupBy;
  readonly labels: ReadonlyMap<string, string>;
}

/** More lines or colors cannot be distinguished. */
const SERIES_MAX = 8;

/** With one metric, a chart over time has a series for each group; with several, one for each metric. */
export function buildChart(report: ChartedReport, options: ChartOptions): Chart {
  const { kind, granularity, groupBy, labels } = options;
  const { metrics, range, basis } = report;
  const [metric = 'engagements'] = metrics;
  const isByTime = granularity !== 'total';
  const shown = report.groups.slice(0, isByTime && metrics.length === 1 ? SERIES_MAX : undefined);
  const hasMore = shown.length < report.groups.length || report.next !== undefined;
  const labelOf = (key: string) => labels.get(key) ?? key;
  const categories: readonly ChartCategory[] = isByTime
    ? report.series.map(({ date }) => ({ key: date, label: date }))
    : shown.map(({ key }) => ({ key, label: labelOf(key) }));
  const rows = isByTime ? report.series : shown;
  const series: readonly ChartSeries[] =
    isByTime && metrics.length === 1 && shown.length > 1
      ? shown.map(({ key }) => ({
          label: labelOf(key),
          values: (report.groupSeries.get(key) ?? []).map((point) => point.metrics[metric]),
        }))
      : metrics.map((name) => ({
          label: nameOf(name),
          values: rows.map((row: { readonly metrics: AnalyticsMetrics }) => row.metrics[name]),
        }));
  const names = metrics.map(nameOf).join(', ');
  const gained = basis === 'activity' ? ' gained' : '';
  const split = isByTime && metrics.length > 1 ? '' : ` by ${groupNameOf(groupBy)}`;
  const title = `${names}${gained}${isByTime ? ` per ${granularity}` : ''}${split}, ${range.from} to ${range.to}`;
  return {
    kind,
    title,
    description: describe({ categories, series, isByTime, hasMore, title, totals: report.totals, metrics }),
    categories,
    isTime: isByTime,
    categoryName: capitalize(isByTime ? granularity : groupNameOf(groupBy)),
    series,
    unit: metric === 'engagement_rate' ? 'share' : 'count',
  };
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const nameOf = (metric: AnalyticsMetricName) => capitalize(metric.replaceAll('_', ' '));
const groupNameOf = (groupBy: GroupBy) =>
  groupBy.startsWith('metadata.') ? groupBy.slice('metadata.'.length) : groupBy;

interface Described extends Pick<Chart, 'categories' | 'series' | 'title'> {
  readonly isByTime: boolean;
  readonly hasMore: boolean;
  readonly totals: AnalyticsMetrics;
  readonly metrics: readonly AnalyticsMetricName[];
}

/** The totals, and where the values are highest. */
function describe({ categories, series, isByTime, hasMore, title, totals, metrics }: Described): string {
  const known = series.flatMap(({ label, values }) =>
    values.flatMap((value, at) =>
      value === null ? [] : [{ label, value, category: categories[at]?.label ?? '' }],
    ),
  );
  if (known.length === 0) return `${title}: no values are known.`;
  const highest = known.reduce((best, one) => (one.value > best.value ? one : best));
  const where = series.length > 1 ? `${highest.category}, ${highest.label}` : highest.category;
  const total = metrics
    .map((name) => `${nameOf(name).toLowerCase()} ${formatValue(name, totals[name])}`)
    .join(', ');
  const unknown = series.reduce(
    (count, { values }) => count + values.filter((value) => value === null).length,
    0,
  );
  return [
    `${title}. Total: ${total}.`,
    `Highest: ${formatValue(metrics[0] ?? 'engagements', highest.value)} (${where}).`,
    ...(unknown > 0 ? [`${unknown} of ${unknown + known.length} values are unknown.`] : []),
    ...(hasMore ? [isByTime ? 'Further groups are not shown.' : 'Further groups follow.'] : []),
  ].join(' ');
}

const formatValue = (metric: AnalyticsMetricName, value: number | null): string => {
  if (value === null) return 'unknown';
  return metric === 'engagement_rate' ? `${(value * 100).toFixed(1)} %` : value.toLocaleString('en-US');
};
