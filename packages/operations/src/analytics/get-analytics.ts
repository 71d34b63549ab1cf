import { getAnalytics } from '@switchboard/domain/analytics';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { cursor, limit } from '../shapes.js';
import { analyticsSentence } from './analytics-sentence.js';
import { analyticsCsv, compactAnalytics } from './analytics-table.js';
import { metrics, queryInput, sorts } from './analytics-query.js';
import getAnalyticsChart from './get-analytics-chart.js';
import { analyticsShape, exampleAnalytics, presentAnalytics } from './analytics-shape.js';

const input = z.strictObject({
  ...queryInput,
  granularity: z.enum(['total', 'day', 'week', 'month']).default('total').describe('Of series.'),
  compare: z.enum(['previous']).describe('Adds the days before.').optional(),
  metrics: metrics.describe('Default: all.').optional(),
  limit,
  cursor,
});

export default defineOperation({
  name: 'getAnalytics',
  summary: 'Read metrics of posts on all platforms.',
  guidance:
    'Counts to date of posts published in a range, or what was gained in it (basis activity); default: the last 30 days, at most 366. Null, never 0: not provided by the platform, or coverage says why. Followers are account totals.',
  scope: 'analytics:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'social',
  http: { method: 'get', path: '/social/analytics', status: 200 },
  input,
  output: analyticsShape,
  failures: ['profile.not_found', 'connection.not_found', 'platform.not_found', 'request.invalid_cursor'],
  example: {
    input: {
      from: '2026-11-01',
      to: '2026-11-30',
      metrics: ['impressions', 'likes', 'clicks', 'engagement_rate'],
    },
    output: exampleAnalytics,
  },
  mcp: {
    // Every metric with a minus is said shorter than listed.
    input: input.extend({
      sort: z
        .string()
        .refine((text) => sorts.some((sort) => sort === text), `one of ${sorts.join(', ')}`)
        .default('key')
        .describe('Of groups: key, or -likes: highest first.'),
    }),
    example: { group_by: 'post', sort: '-likes', limit: 5 },
    compact: compactAnalytics,
    image: { argument: 'chart', description: 'Adds a chart.', of: getAnalyticsChart },
  },
  csv: analyticsCsv,
  sentence: analyticsSentence,
  useCase: getAnalytics,
  present: presentAnalytics,
});
