import { etagOf } from '@switchboard/domain';
import { getProfile } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { exampleProfile, presentProfile, profileShape } from './profile-shape.js';

export default defineOperation({
  name: 'getProfile',
  summary: 'Read one profile.',
  guidance: 'Send the ETag of the response as If-Match when you update the profile.',
  scope: 'profiles:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/profiles/:id', status: 200 },
  input: z.strictObject({ id: id(exampleProfile.id) }),
  output: profileShape,
  failures: ['profile.not_found'],
  example: { input: { id: exampleProfile.id }, output: exampleProfile },
  sentence: ({ id }) => `The profile ${id}.`,
  etag: etagOf,
  useCase: getProfile,
  present: presentProfile,
});
