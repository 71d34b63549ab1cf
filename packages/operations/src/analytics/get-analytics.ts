import {
  analyticsMetricNames,
  getAnalytics,
  groupKinds,
  type GroupBy,
  type GroupSort,
} from '@switchboard/domain/analytics';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { cursor, limit, METADATA_KEY_MAX } from '../shapes.js';
import { analyticsCsv } from './analytics-csv.js';
import { analyticsSentence } from './analytics-sentence.js';
import { rangeInput, sourceInput } from './analytics-input.js';
import {
  compactAnalytics,
  analyticsShape,
  exampleAnalytics,
  metricName,
  presentAnalytics,
} from './analytics-shape.js';

const sorts: readonly GroupSort[] = ['key', ...analyticsMetricNames.map((name): GroupSort => `-${name}`)];
const isGroupBy = (text: string): boolean =>
  groupKinds.some((kind) => kind === text) || metadataGroup.test(text);
const metadataGroup = new RegExp(`^metadata\\..{1,${METADATA_KEY_MAX}}$`, 'v');
const groupBy = z
  .string()
  .refine(
    isGroupBy,
    `one of ${groupKinds.map((kind) => `"${kind}"`).join(', ')}, or "metadata." and a key`,
  ) as unknown as z.ZodType<GroupBy>;

const input = z.strictObject({
  ...rangeInput,
  granularity: z.enum(['total', 'day', 'week', 'month']).default('total').describe('Of series.'),
  group_by: groupBy.default('platform').describe('platform, connection, profile, post, or metadata.<key>.'),
  basis: z.enum(['published', 'activity']).default('published').describe('Counts.'),
  source: z.enum(['switchboard', 'all']).default('switchboard').describe('all: posts made elsewhere too.'),
  compare: z.enum(['previous']).describe('Adds as many days before.').optional(),
  metrics: z.array(metricName).min(1).max(analyticsMetricNames.length).describe('Default: all.').optional(),
  ...sourceInput,
  sort: z.enum(sorts).default('key').describe('Order of groups; minus: highest first.'),
  limit,
  cursor,
});

export default defineOperation({
  name: 'getAnalytics',
  summary: 'Read the metrics of published posts on all platforms in one format.',
  guidance:
    'Counts to date for posts published in a range of dates, or what was gained in it (basis activity); default: the last 30 days, at most 366. Unknown metrics are null, never 0: coverage says why. Followers are account totals.',
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
        .describe('Of groups: key, or -impressions: highest first.'),
    }),
    example: { group_by: 'post', sort: '-impressions', limit: 5 },
    compact: compactAnalytics,
  },
  csv: analyticsCsv,
  sentence: analyticsSentence,
  useCase: getAnalytics,
  present: presentAnalytics,
});
