import { formatPrice, joinNames, type Problem } from '@switchboard/domain';
import { describeAccount } from '@switchboard/domain/connections';
import { validatePost } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { optionChoice } from '../platforms/platform-shape.js';
import { components, isoTime, moneyShape, time } from '../shapes.js';
import { draftFailures } from './draft-failures.js';
import { draftShape, draftToolInput } from './post-shape.js';

const problemShape = z.object({
  path: z.string(),
  code: z.string(),
  message: z.string(),
  candidates: z.array(optionChoice).optional(),
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
          account: z.object({ id: z.string(), username: z.string().nullable(), name: z.string().nullable() }),
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
          account: {
            id: 'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
            username: 'lumen.coffee',
            name: 'Lumen Coffee',
          },
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
  mcp: { input: draftToolInput },
  sentence: ({ valid, targets }, { platformName }) => {
    const nameAccounts = (some: typeof targets) =>
      joinNames(some.map(({ account, platform }) => describeAccount(account, platformName(platform))));
    const bad = targets.filter(({ problems }) => problems.length > 0);
    const warned = targets.filter(({ warnings }) => warnings.length > 0);
    return valid
      ? `The post fits ${nameAccounts(targets)}${warned.length > 0 ? `; see the warnings for ${nameAccounts(warned)}` : ''}. Nothing was stored or sent.`
      : `The post does not fit ${nameAccounts(bad)}: problems says why. Nothing was stored or sent.`;
  },
  useCase: validatePost,
  present: ({ valid, targets }) => ({
    valid,
    targets: targets.map(({ connection, finalText, text, quotaLeft, cost, problems, warnings, when }) => ({
      connection_id: connection.id,
      platform: connection.platform,
      account: {
        id: connection.account.id,
        username: connection.account.username,
        name: connection.account.name,
      },
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
