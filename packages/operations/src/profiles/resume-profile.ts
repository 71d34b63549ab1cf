import { etagOf } from '@switchboard/domain';
import { resumeProfile } from '@switchboard/domain/pauses';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { exampleProfile, presentProfile, profileShape } from './profile-shape.js';

export default defineOperation({
  name: 'resumeProfile',
  summary: 'Send what a paused profile held.',
  guidance:
    'Due posts are published within seconds, except those beyond their not_after: they become missed. A pause of a connection or of the installation still holds.',
  scope: 'profiles:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'post', path: '/profiles/:id/resume', status: 200 },
  input: z.strictObject({ id: id(exampleProfile.id) }),
  output: profileShape,
  failures: ['profile.not_found', 'request.precondition_failed'],
  example: { input: { id: exampleProfile.id }, output: exampleProfile },
  sentence: ({ id }) => `Resumed the profile ${id}.`,
  etag: etagOf,
  useCase: resumeProfile,
  present: presentProfile,
});
