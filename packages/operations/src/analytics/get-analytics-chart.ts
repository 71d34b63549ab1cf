import { chartKinds, getAnalyticsChart } from '@switchboard/domain/analytics';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { metrics, queryInput } from './analytics-query.js';

export default defineOperation({
  name: 'getAnalyticsChart',
  summary: 'Draw a chart of analytics.',
  guidance:
    'With one metric it compares groups, with several the metrics; over time where granularity is not total. An unknown value leaves a gap. The document has no scripts, follows the light or dark preference of the reader, and contains its values as a table. At most eight groups over time.',
  scope: 'analytics:read',
  effect: 'read',
  boundary: 'staged',
  http: { method: 'get', path: '/social/analytics/chart.svg', status: 200 },
  input: z.strictObject({
    type: z.enum(chartKinds).default('bar').describe('stacked: bars on top of each other.'),
    ...queryInput,
    granularity: z
      .enum(['total', 'day', 'week', 'month'])
      .describe('Default: day for a line, else total.')
      .optional(),
    metrics: metrics.describe('Default: engagements.').optional(),
    limit: z.int().min(1).max(30).default(10).describe('Groups.'),
    width: z.int().min(280).max(2000).default(720).describe('Pixels.'),
    height: z.int().min(160).max(2000).default(360).describe('Pixels.'),
    theme: z.enum(['auto', 'light', 'dark']).default('auto').describe('auto: as the reader prefers.'),
  }),
  output: z.object({
    svg: z.string().optional(),
    png: z.string().optional(),
    description: z.string().optional(),
  }),
  failures: ['profile.not_found', 'connection.not_found', 'platform.not_found'],
  example: {
    input: { type: 'line', metrics: ['impressions'], from: '2026-11-01', to: '2026-11-30' },
    output: { svg: '<svg xmlns="http://www.w3.org/2000/svg" role="figure"></svg>' },
  },
  svg: ({ svg = '' }) => svg,
  etag: (chart) => ('digest' in chart ? `"${chart.digest}"` : null),
  sentence: ({ description = '' }) => description,
  useCase: getAnalyticsChart,
  present: (chart) =>
    'png' in chart
      ? { png: Buffer.from(chart.png).toString('base64'), description: chart.description }
      : { svg: chart.svg },
});
