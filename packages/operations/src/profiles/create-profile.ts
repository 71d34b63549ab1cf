import { etagOf } from '@switchboard/domain';
import { createProfile } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { metadata, timezone } from '../shapes.js';
import { exampleProfile, presentProfile, profileFields, profileShape } from './profile-shape.js';

export default defineOperation({
  name: 'createProfile',
  summary: 'Create a profile: a brand or end customer whose accounts belong together.',
  guidance: 'Use one profile for each brand or customer. Connections and posts belong to a profile.',
  scope: 'profiles:write',
  effect: 'create',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'post', path: '/profiles', status: 201 },
  input: z.strictObject({
    name: profileFields.name,
    external_id: profileFields.external_id.optional(),
    timezone: timezone.optional(),
    metadata: metadata.optional(),
  }),
  output: profileShape,
  failures: ['key.policy_exceeded'],
  example: { input: { name: 'Lumen Coffee', timezone: 'Europe/Madrid' }, output: exampleProfile },
  sentence: ({ id }) => `Created the profile ${id}.`,
  etag: etagOf,
  useCase: createProfile,
  present: presentProfile,
});
