import { listProfiles } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { cursor, limit, pageOf } from '../shapes.js';
import { exampleProfile, presentProfile, profileShape } from './profile-shape.js';

export default defineOperation({
  name: 'listProfiles',
  summary: 'List the profiles that the key can access, newest first.',
  guidance: 'Most calls accept a profile_id; a key that can access exactly one may omit it.',
  scope: 'profiles:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'every',
  http: { method: 'get', path: '/profiles', status: 200 },
  input: z.strictObject({
    name: z.string().max(100).describe('Whole name, in any case.').optional(),
    external_id: z.string().min(1).max(200).describe('Your own id.').optional(),
    limit,
    cursor,
  }),
  output: pageOf(profileShape),
  failures: ['request.invalid_cursor'],
  example: { input: { limit: 20 }, output: { data: [exampleProfile], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'profile')}.`,
  useCase: listProfiles,
  present: ({ items, nextCursor }) => ({ data: items.map(presentProfile), next_cursor: nextCursor }),
});
