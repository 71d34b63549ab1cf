import {
  analyticsMetricNames,
  missingReasons,
  pickMetrics,
  type AnalyticsMetrics,
  type AnalyticsReport,
} from '@switchboard/domain/analytics';
import { z } from 'zod';
import { components, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

export const metricName = z.enum(analyticsMetricNames).register(components, { id: 'MetricName' });

/** Only the requested metrics; an unknown metric is null, never 0. */
const metricsShape = z
  .partialRecord(metricName, z.number().nullable())
  .register(components, { id: 'Metrics' });

const groupShape = z.object({
  key: z.string(),
  platform: z.string().optional(),
  connection_id: z.string().optional(),
  post: z
    .object({
      id: z.string().nullable().describe('Null: made elsewhere.'),
      text: z.string(),
      published_at: time,
      urls: z.array(z.string()),
    })
    .optional(),
  post_count: z.int(),
  metrics: metricsShape,
});
groupShape.register(components, { id: 'AnalyticsGroup' });

export const analyticsShape = z.object({
  range: z.object({ from: z.iso.date(), to: z.iso.date(), timezone: z.string() }),
  basis: z.enum(['published', 'activity']),
  post_count: z.int(),
  totals: metricsShape,
  previous: z
    .object({ from: z.iso.date(), to: z.iso.date(), post_count: z.int(), totals: metricsShape })
    .describe('The days before the range, when compared.')
    .optional(),
  change: z
    .partialRecord(metricName, z.object({ absolute: z.number().nullable(), percent: z.number().nullable() }))
    .optional(),
  coverage: z.partialRecord(
    metricName,
    z.object({
      platforms: z.array(z.string()),
      missing: z.array(z.string()),
      reasons: z
        .record(z.string(), z.enum(missingReasons))
        .describe('Why each platform in missing contributes nothing.'),
    }),
  ),
  groups: z.array(groupShape),
  series: z.array(z.object({ date: z.iso.date(), post_count: z.int(), metrics: metricsShape })),
  notes: z.array(
    z.object({
      connection_id: z.string().nullable(),
      platform: z.string().optional(),
      code: z.string(),
      message: z.string(),
    }),
  ),
  data_since: time.nullable(),
  as_of: time,
  next_cursor: z.string().nullable(),
});
analyticsShape.register(components, { id: 'Analytics' });

export function presentAnalytics(report: AnalyticsReport): z.input<typeof analyticsShape> {
  const pickRequested = (metrics: AnalyticsMetrics) => pickMetrics(metrics, report.metrics);
  const { totals, previous, change, coverage, groups, series, ...rest } = report;
  return {
    ...toWireFormat(rest),
    totals: pickRequested(totals),
    ...(previous && {
      previous: {
        from: previous.range.from,
        to: previous.range.to,
        post_count: previous.postCount,
        totals: pickRequested(previous.totals),
      },
    }),
    ...(change && { change: Object.fromEntries(report.metrics.map((name) => [name, change[name]])) }),
    coverage: Object.fromEntries(
      Object.entries(coverage).map(([metric, { platforms, missing, reasons }]) => [
        metric,
        { platforms: [...platforms], missing: [...missing], reasons: { ...reasons } },
      ]),
    ),
    groups: groups.map(({ metrics, ...group }) => ({
      ...toWireFormat(group),
      metrics: pickRequested(metrics),
    })),
    series: series.map(({ date, postCount, metrics }) => ({
      date,
      post_count: postCount,
      metrics: pickRequested(metrics),
    })),
  };
}

export const exampleAnalytics: z.input<typeof analyticsShape> = {
  range: { from: '2026-11-01', to: '2026-11-30', timezone: 'Europe/Madrid' },
  basis: 'published',
  post_count: 12,
  totals: { impressions: 1204, likes: 56, clicks: 31, engagement_rate: 0.043189 },
  coverage: {
    impressions: {
      platforms: ['sandbox_social'],
      missing: ['bluesky'],
      reasons: { bluesky: 'not_provided' },
    },
    likes: { platforms: ['bluesky', 'sandbox_social'], missing: [], reasons: {} },
    clicks: { platforms: ['sandbox_social'], missing: ['bluesky'], reasons: { bluesky: 'not_provided' } },
    engagement_rate: {
      platforms: ['sandbox_social'],
      missing: ['bluesky'],
      reasons: { bluesky: 'not_provided' },
    },
  },
  groups: [
    {
      key: 'bluesky',
      platform: 'bluesky',
      post_count: 12,
      metrics: { impressions: null, likes: 11, clicks: null, engagement_rate: null },
    },
    {
      key: 'sandbox_social',
      platform: 'sandbox_social',
      post_count: 7,
      metrics: { impressions: 1204, likes: 45, clicks: 31, engagement_rate: 0.043189 },
    },
  ],
  series: [],
  notes: [],
  data_since: '2026-11-21T09:00:00.000Z',
  as_of: '2026-11-30T08:12:44.000Z',
  next_cursor: null,
};
