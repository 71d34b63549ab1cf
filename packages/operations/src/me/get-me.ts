import { whoami } from '@switchboard/domain/access';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { pauseShape, presentPause } from '../pauses/pause-shape.js';
import { components, isoTime, time } from '../shapes.js';
import {
  ceilingRemainingShape,
  policyShape,
  presentCeilingRemaining,
  presentKeySummary,
} from '../keys/key-shape.js';

export default defineOperation({
  name: 'getMe',
  tool: 'whoami',
  summary: 'Read the scopes, the policy and the profiles of the calling key.',
  guidance: 'Call this first. Also returns the server time and the refund amount that remains today.',
  scope: 'any',
  effect: 'read',
  boundary: 'read',
  toolset: 'every',
  http: { method: 'get', path: '/me', status: 200 },
  input: z.strictObject({}),
  output: z
    .object({
      key: z.object({ id: z.string(), name: z.string(), scopes: z.array(z.string()), policy: policyShape }),
      workspace: z.object({ id: z.string(), name: z.string() }),
      profiles: z.array(z.object({ id: z.string(), name: z.string() })),
      ceiling_remaining: ceilingRemainingShape,
      pause: pauseShape.nullable().describe('Of the whole installation.'),
      now: time,
      version: z.string(),
    })
    .register(components, { id: 'Me' }),
  failures: ['workspace.not_found'],
  example: {
    input: {},
    output: {
      key: {
        id: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
        name: 'agent',
        scopes: ['profiles:read', 'connections:read', 'posts:write'],
        policy: {
          profile_ids: null,
          expires_at: null,
          allowed_cidrs: null,
          refund_ceilings: null,
          approval: null,
          hide_personal_data: false,
        },
      },
      workspace: { id: 'wsp_01kah3v5w8e2m6r9t0x4y7z1ab', name: 'default' },
      profiles: [{ id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab', name: 'default' }],
      ceiling_remaining: null,
      pause: null,
      now: '2026-11-21T09:00:00.000Z',
      version: '0.1.0',
    },
  },
  sentence: ({ key, workspace, profiles, pause }) =>
    `The key ${key.id} of the workspace ${workspace.id}, with ${formatCount(key.scopes.length, 'scope')}, can access ${formatCount(profiles.length, 'profile')}.${pause ? ' The installation is paused: posts and refunds are held until its operator resumes it.' : ''}`,
  useCase: whoami,
  present: ({ key, workspace, profiles, ceilingRemaining, pause }, { now, ports }) => ({
    key: presentKeySummary(key),
    workspace: { id: workspace.id, name: workspace.name },
    profiles: profiles.map(({ id, name }) => ({ id, name })),
    ceiling_remaining: presentCeilingRemaining(ceilingRemaining),
    pause: presentPause(pause),
    now: isoTime(now),
    version: ports.settings.version,
  }),
});
