import { etagOf } from '@switchboard/domain';
import { updateProfile } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id, metadata, timezone } from '../shapes.js';
import { exampleProfile, presentProfile, profileFields, profileShape } from './profile-shape.js';

export default defineOperation({
  name: 'updateProfile',
  summary: 'Update a profile.',
  guidance:
    'Only the fields that are sent change; metadata is replaced as a whole. external_id: null removes it.',
  scope: 'profiles:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'patch', path: '/profiles/:id', status: 200 },
  input: z.strictObject({
    id: id(exampleProfile.id),
    name: profileFields.name.optional(),
    external_id: profileFields.external_id.nullable().optional(),
    timezone: timezone.optional(),
    metadata: metadata.optional(),
  }),
  output: profileShape,
  failures: ['profile.not_found', 'request.precondition_failed'],
  example: { input: { id: exampleProfile.id, name: 'Lumen Coffee' }, output: exampleProfile },
  sentence: ({ id }) => `Updated the profile ${id}.`,
  etag: etagOf,
  useCase: updateProfile,
  present: presentProfile,
});
