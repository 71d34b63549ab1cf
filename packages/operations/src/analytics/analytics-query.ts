import {
  analyticsMetricNames,
  groupKinds,
  type GroupBy,
  type GroupSort,
} from '@switchboard/domain/analytics';
import { z } from 'zod';
import { METADATA_KEY_MAX } from '../shapes.js';
import { rangeInput, sourceInput } from './analytics-input.js';
import { metricName } from './analytics-shape.js';

export const sorts: readonly GroupSort[] = [
  'key',
  ...analyticsMetricNames.map((name): GroupSort => `-${name}`),
];
const isGroupBy = (text: string): boolean =>
  groupKinds.some((kind) => kind === text) || metadataGroup.test(text);
const metadataGroup = new RegExp(`^metadata\\..{1,${METADATA_KEY_MAX}}$`, 'v');
const groupBy = z
  .string()
  .refine(
    isGroupBy,
    `one of ${groupKinds.map((kind) => `"${kind}"`).join(', ')}, or "metadata." and a key`,
  ) as unknown as z.ZodType<GroupBy>;

/** What a report and a chart of it have in common. */
export const queryInput = {
  ...rangeInput,
  group_by: groupBy.default('platform').describe('platform, connection, profile, post, or metadata.<key>.'),
  basis: z.enum(['published', 'activity']).default('published').describe('Counts.'),
  source: z.enum(['switchboard', 'all']).default('switchboard').describe('all: made elsewhere too.'),
  ...sourceInput,
  sort: z.enum(sorts).default('key').describe('Order of groups; minus: highest first.'),
};
export const metrics = z.array(metricName).min(1).max(analyticsMetricNames.length);
