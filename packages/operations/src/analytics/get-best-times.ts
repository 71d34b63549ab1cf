import { getBestTimes } from '@switchboard/domain/analytics';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { components } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';
import { rangeInput, sourceInput } from './analytics-input.js';

const cellShape = z.object({
  weekday: z.int().describe('1 (Monday) to 7 (Sunday).'),
  hour: z.int().describe('0 to 23: local time at publication.'),
  post_count: z.int(),
  measured_post_count: z.int().describe('Posts whose engagements are known.'),
  engagements: z
    .number()
    .nullable()
    .describe('Average of the posts whose engagements are known; null below three of them.'),
  engagement_rate: z
    .number()
    .nullable()
    .describe('Engagements by impressions of posts for which both are known; null below three of them.'),
});
cellShape.register(components, { id: 'PublishingHour' });

const evening = {
  weekday: 4,
  hour: 18,
  post_count: 6,
  measured_post_count: 5,
  engagements: 41.2,
  engagement_rate: 0.0523,
};

export default defineOperation({
  name: 'getBestTimes',
  summary: 'Read engagement by weekday and hour of publishing.',
  guidance:
    'Counts to date of the posts published in a range of dates, as last stored; default: the last 30 days, at most 366. An hour without posts is not listed. Averages are null below three posts whose counts are known, and an unknown count is never 0. `best` has at most three hours, those with the highest average engagements.',
  scope: 'analytics:read',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/social/analytics/best-times', status: 200 },
  input: z.strictObject({ ...rangeInput, ...sourceInput }),
  output: z
    .object({
      range: z.object({ from: z.iso.date(), to: z.iso.date(), timezone: z.string() }),
      cells: z.array(cellShape).describe('Hours with posts, from Monday to Sunday.'),
      best: z.array(cellShape).describe('Highest average engagements first.'),
    })
    .register(components, { id: 'BestTimes' }),
  failures: ['profile.not_found', 'connection.not_found', 'platform.not_found'],
  example: {
    input: { from: '2026-09-01', to: '2026-11-30' },
    output: {
      range: { from: '2026-09-01', to: '2026-11-30', timezone: 'Europe/Madrid' },
      cells: [
        {
          weekday: 1,
          hour: 9,
          post_count: 2,
          measured_post_count: 2,
          engagements: null,
          engagement_rate: null,
        },
        evening,
      ],
      best: [evening],
    },
  },
  sentence: ({ cells, best }) =>
    `Posts were published in ${formatCount(cells.length, 'hour')} of the week; ${best.length === 0 ? 'none has three posts with known engagements' : 'the best are listed in best'}.`,
  useCase: getBestTimes,
  present: (times) => toWireFormat(times),
});
