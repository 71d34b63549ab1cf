import { getPublishingOptions } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { platformFailures } from '../platform-failures.js';
import { exampleMediaRules, mediaShape } from '../platforms/media-rules-shape.js';
import { optionChoice } from '../platforms/platform-shape.js';
import { components, id, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';
import { exampleConnection } from './connection-shape.js';

const input = z.strictObject({
  id: id(exampleConnection.id),
  query: z.string().min(1).max(100).describe('Search text for choices.').optional(),
  limit: z.int().min(1).max(10_000).describe('Maximum number of choices per option.').optional(),
});

/** An agent reads every choice that it receives, which costs tokens. */
const toolLimit = z.int().min(1).max(100).default(100).describe('Choices per option.');

export default defineOperation({
  name: 'getPublishingOptions',
  summary:
    'Read the publishing options of an account live from the platform: limits, option values, remaining quotas.',
  guidance:
    'Choices are values for options of create_post (boards, topics, …). more: true: there are others, search them with query. When a quota is used up, posts are rejected until resets_at.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'social',
  http: { method: 'get', path: '/connections/:id/publishing', status: 200 },
  input,
  output: z
    .object({
      text: z.object({ max: z.int(), unit: z.string() }).nullable(),
      media: mediaShape.nullable(),
      options: z.array(
        z.object({
          name: z.string(),
          label: z.string(),
          required: z.boolean(),
          type: z.string(),
          max: z.int().nullable(),
          choices: z.array(optionChoice),
          more: z.boolean(),
        }),
      ),
      quotas: z.array(
        z.object({ name: z.string(), used: z.int(), limit: z.int(), resets_at: time.nullable() }),
      ),
      as_of: time,
    })
    .register(components, { id: 'PublishingOptions' }),
  failures: ['connection.not_found', 'post.no_targets', ...platformFailures],
  example: {
    input: { id: exampleConnection.id },
    output: {
      text: { max: 500, unit: 'code points' },
      media: exampleMediaRules,
      options: [
        {
          name: 'topic',
          label: 'Topic',
          required: false,
          type: 'choice',
          max: null,
          choices: [{ value: 'kiln-notes', label: 'Kiln notes' }],
          more: false,
        },
      ],
      quotas: [{ name: 'posts_per_day', used: 3, limit: 250, resets_at: '2026-11-22T00:00:00.000Z' }],
      as_of: '2026-11-21T09:00:00.000Z',
    },
  },
  mcp: { input: input.extend({ limit: toolLimit }) },
  sentence: ({ options, quotas }) => {
    const names = options.map(({ name, required }) => (required ? `${name} (required)` : name));
    const left = quotas.map(
      ({ name, used, limit }) => `${Math.max(0, limit - used)} of ${limit} ${name} remaining`,
    );
    return `Options: ${names.join(', ') || 'none'}. ${left.join(', ') || 'No quota'}.`;
  },
  useCase: getPublishingOptions,
  present: ({ options, ...rest }) => ({
    ...toWireFormat(rest),
    options: options.map(({ max = null, more = false, choices = [], ...option }) =>
      toWireFormat({ ...option, max, more, choices }),
    ),
  }),
});
