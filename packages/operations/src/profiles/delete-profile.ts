import { deleteProfile } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id, noContent } from '../shapes.js';
import { exampleProfile } from './profile-shape.js';

export default defineOperation({
  name: 'deleteProfile',
  summary: 'Delete a profile.',
  guidance:
    'Rejected while connections or scheduled posts belong to it (with their number); `cascade` disconnects the accounts and cancels the posts first. Published posts stay at the platforms.',
  scope: 'profiles:write',
  effect: 'delete',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'delete', path: '/profiles/:id', status: 204 },
  input: z.strictObject({
    id: id(exampleProfile.id),
    cascade: z.boolean().describe('Disconnect its accounts and cancel its posts.').optional(),
  }),
  output: noContent,
  failures: ['profile.not_found', 'profile.is_default', 'profile.in_use', 'request.precondition_failed'],
  example: { input: { id: exampleProfile.id }, output: {} },
  sentence: () => 'Deleted the profile.',
  object: ({ id }) => id,
  useCase: deleteProfile,
  present: () => ({}),
});
