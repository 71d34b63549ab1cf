import { etagOf } from '@switchboard/domain';
import { pauseProfile, REASON_MAX } from '@switchboard/domain/pauses';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { exampleProfile, presentProfile, profileShape } from './profile-shape.js';

export default defineOperation({
  name: 'pauseProfile',
  summary: 'Hold the posts and refunds of a profile.',
  guidance:
    'Nothing of it is published or refunded until resume_profile; what is being sent is completed. Reading, validating and scheduling continue. Pausing again changes at most the reason.',
  scope: 'profiles:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'post', path: '/profiles/:id/pause', status: 200 },
  input: z.strictObject({
    id: id(exampleProfile.id),
    reason: z.string().trim().min(1).max(REASON_MAX).describe('For people.').optional(),
  }),
  output: profileShape,
  failures: ['profile.not_found', 'request.precondition_failed'],
  example: {
    input: { id: exampleProfile.id, reason: 'Product recall' },
    output: {
      ...exampleProfile,
      paused: true,
      pause: {
        cause: 'requested',
        reason: 'Product recall',
        paused_by: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
        paused_at: '2026-11-21T09:00:00.000Z',
      },
    },
  },
  sentence: ({ id }) => `Paused the profile ${id}: its posts and refunds are held until resume_profile.`,
  etag: etagOf,
  useCase: pauseProfile,
  present: presentProfile,
});
