import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { ChartStyle, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { buildChart } from './build-chart.js';
import type { ChartKind } from './chart.js';
import { findGroupLabels } from './find-group-labels.js';
import {
  readAnalytics,
  type AnalyticsPorts,
  type GetAnalytics,
  type GetAnalyticsFailure,
} from './get-analytics.js';
import type { AnalyticsMetricName } from './metrics.js';
import type { Granularity } from './time-buckets.js';

export interface GetAnalyticsChart
  extends Omit<GetAnalytics, 'granularity' | 'compare' | 'cursor'>, ChartStyle {
  readonly type: ChartKind;
  /** Default: days for a line, else the total. */
  readonly granularity?: Granularity | undefined;
}

/** SVG on REST; on MCP an image, because clients show it to people and models. */
export type AnalyticsChart =
  | { readonly svg: string; readonly digest: string }
  | { readonly png: Uint8Array; readonly description: string };

/** A share does not add up, and neither do the followers of different times. */
const unstackable: readonly AnalyticsMetricName[] = ['engagement_rate', 'followers'];

/** Draws the groups or the series of a report. With one metric it compares groups, with several the metrics. */
export async function getAnalyticsChart(
  ports: AnalyticsPorts & Pick<Ports, 'charts'>,
  call: Call,
  { type: kind, width, height, theme, limit, ...query }: GetAnalyticsChart,
): Promise<Result<AnalyticsChart, Exclude<GetAnalyticsFailure, 'request.invalid_cursor'>>> {
  const { granularity = kind === 'line' ? 'day' : 'total', metrics = ['engagements'] as const } = query;
  const problem = findProblem(kind, granularity, metrics);
  if (problem) {
    const { path, message } = problem;
    return refuse('request.invalid', `${path} ${message}.`, {
      problems: [{ path, code: 'field.invalid', message }],
    });
  }
  const read = await readAnalytics(
    ports,
    call,
    { ...query, granularity, metrics },
    { page: { limit }, splitsSeries: granularity !== 'total' && metrics.length === 1 },
  );
  if (!read.ok) return read;
  const labels = await findGroupLabels(ports, call, query.groupBy, read.value.groups);
  const chart = buildChart(read.value, { kind, granularity, groupBy: query.groupBy, labels });
  if (call.surface === 'mcp') {
    return ok({ png: await ports.charts.drawPng(chart, { width, height }), description: chart.description });
  }
  return ok(await ports.charts.draw(chart, { width, height, theme }));
}

function findProblem(
  kind: ChartKind,
  granularity: Granularity,
  metrics: readonly AnalyticsMetricName[],
): { readonly path: string; readonly message: string } | null {
  if (kind === 'line' && granularity === 'total') {
    return { path: 'granularity', message: 'must be day, week or month for a line' };
  }
  const hasShare = metrics.includes('engagement_rate');
  if (hasShare && metrics.length > 1) {
    return { path: 'metrics', message: 'must not have engagement_rate beside counts: it is a share' };
  }
  const rejected = metrics.find((name) => kind === 'stacked' && unstackable.includes(name));
  return rejected === undefined
    ? null
    : { path: 'metrics', message: `must not have ${rejected} in a stacked chart: its values do not add up` };
}
