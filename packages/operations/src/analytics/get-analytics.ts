import { analyticsMetricNames, getAnalytics, type GroupSort } from '@switchboard/domain/analytics';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { cursor, id, limit, timezone } from '../shapes.js';
import { analyticsSentence } from './analytics-sentence.js';
import {
  compactAnalytics,
  analyticsShape,
  exampleAnalytics,
  metricName,
  presentAnalytics,
} from './analytics-shape.js';

const sorts: readonly GroupSort[] = ['key', ...analyticsMetricNames.map((name): GroupSort => `-${name}`)];
const yearOf = (text: string) => Number(text.slice(0, 4));
/**
 * Nothing was published before 1970; dates after 9998 reach years that the database cannot store in every
 * time zone.
 */
const date = z.iso
  .date()
  .refine((text) => !(yearOf(text) < 1970 || yearOf(text) > 9998), 'a date of the years 1970 to 9998')
  .meta({ examples: ['2026-11-01'] });

export default defineOperation({
  name: 'getAnalytics',
  summary: 'Read the metrics of published posts on all platforms in one format.',
  guidance:
    'Counts to date for posts published in a range of dates; default: the last 30 days, at most 366. A metric that a platform does not report is null, never 0: coverage lists the platforms behind each metric; notes lists what could not be read. Followers are account totals, independent of the dates.',
  scope: 'analytics:read',
  effect: 'read',
  boundary: 'staged',
  surfaces: ['rest', 'mcp'],
  toolset: 'social',
  http: { method: 'get', path: '/social/analytics', status: 200 },
  input: z.strictObject({
    from: date.optional(),
    to: date.optional(),
    timezone: timezone.optional(),
    granularity: z.enum(['total', 'day', 'week', 'month']).default('total'),
    group_by: z.enum(['platform', 'connection', 'profile', 'post']).default('platform'),
    metrics: z.array(metricName).min(1).max(analyticsMetricNames.length).optional(),
    profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    connection_id: id('con_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    platform: z.array(id('bluesky')).min(1).max(30).optional(),
    sort: z.enum(sorts).default('key'),
    limit,
    cursor,
  }),
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
  mcp: { example: { group_by: 'post', sort: '-impressions', limit: 5 }, compact: compactAnalytics },
  sentence: analyticsSentence,
  useCase: getAnalytics,
  present: presentAnalytics,
});
