import { formatPrice, type Problem } from '@switchboard/domain';
import { validatePost } from '@switchboard/domain/posts';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { components, isoTime, moneyShape, time } from '../shapes.js';
import { draftFailures } from './draft-failures.js';
import { draftShape, draftToolInput } from './post-shape.js';

const problemShape = z.object({
  path: z.string(),
  code: z.string(),
  message: z.string(),
  candidates: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  details: z.object({ id: z.string() }).optional(),
});
problemShape.register(components, { id: 'PostProblem' });
const presentProblems = (problems: readonly Problem[]) =>
  problems.map(({ path, code, message, candidates, details: { id } = {} }) => ({
    path,
    code,
    message,
    ...(candidates && { candidates: candidates.map(({ value, label }) => ({ value, label })) }),
    ...(typeof id === 'string' && { details: { id } }),
  }));

export default defineOperation({
  name: 'validatePost',
  summary: 'Validate a post for every target without storing or sending anything.',
  guidance:
    'Same input as create_post. Reports for each account the final text, its length in the platform’s unit, and all problems.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'social',
  http: { method: 'post', path: '/social/posts/validate', status: 200 },
  input: draftShape,
  output: z
    .object({
      valid: z.boolean(),
      targets: z.array(
        z.object({
          connection_id: z.string(),
          platform: z.string(),
          final_text: z.string(),
          text: z.object({ used: z.int(), max: z.int(), unit: z.string() }).nullable(),
          will_publish_at: time,
          problems: z.array(problemShape),
          warnings: z.array(problemShape),
          quota_left: z.int().nullable(),
          estimated_cost: moneyShape.nullable(),
        }),
      ),
    })
    .register(components, { id: 'PostValidation' }),
  failures: [...draftFailures],
  example: {
    input: { text: 'Spring blends are here', targets: [{ platform: 'bluesky' }] },
    output: {
      valid: true,
      targets: [
        {
          connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
          platform: 'bluesky',
          final_text: 'Spring blends are here',
          text: { used: 22, max: 300, unit: 'graphemes' },
          will_publish_at: '2026-11-21T09:00:00.000Z',
          problems: [],
          warnings: [],
          quota_left: null,
          estimated_cost: null,
        },
      ],
    },
  },
  mcp: {
    input: draftToolInput,
    example: {
      text: 'Hi',
      targets: [{ platform: 'tiktok', options: { privacy_level: 'SELF_ONLY' } }],
    },
  },
  sentence: ({ valid, targets }) => {
    const bad = targets.filter(({ problems }) => problems.length > 0);
    const warned = targets.filter(({ warnings }) => warnings.length > 0).length;
    return valid
      ? `The post fits ${targets.length === 1 ? 'its 1 target' : `all ${formatCount(targets.length, 'target')}`}${warned > 0 ? `; ${warned === 1 ? '1 has' : `${warned} have`} warnings` : ''}. Nothing was stored or sent.`
      : `The post does not fit ${bad.map(({ platform }) => platform).join(', ')}: problems says why. Nothing was stored or sent.`;
  },
  useCase: validatePost,
  present: ({ valid, targets }) => ({
    valid,
    targets: targets.map(({ connection, finalText, text, quotaLeft, cost, problems, warnings, when }) => ({
      connection_id: connection.id,
      platform: connection.platform,
      final_text: finalText,
      text: text && { ...text },
      will_publish_at: isoTime(when.at),
      problems: presentProblems(problems),
      warnings: presentProblems(warnings),
      quota_left: quotaLeft,
      estimated_cost: cost && { amount: formatPrice(cost), currency: cost.currency },
    })),
  }),
});
