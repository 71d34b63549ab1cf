import { etagOf } from '@switchboard/domain';
import { updateKey } from '@switchboard/domain/access';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleKey, keyFields, keyShape, presentKey } from './key-shape.js';

export default defineOperation({
  name: 'updateKey',
  summary: 'Update the name, scopes and limits of an API key.',
  guidance:
    'Only fields that are sent change, within the policy as well. The key can never exceed the calling key.',
  scope: 'keys:admin',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'patch', path: '/keys/:id', status: 200 },
  input: z.strictObject({
    id: keyFields.id,
    name: keyFields.name.optional(),
    scopes: keyFields.scopes.optional(),
    policy: keyFields.policy.optional(),
  }),
  output: keyShape,
  failures: [
    'key.not_found',
    'key.scope_exceeded',
    'key.policy_exceeded',
    'key.rotated',
    'profile.not_found',
    'request.precondition_failed',
  ],
  example: { input: { id: exampleKey.id, policy: { allowed_cidrs: ['192.0.2.0/24'] } }, output: exampleKey },
  sentence: ({ id }) => `Updated the key ${id}.`,
  etag: etagOf,
  useCase: updateKey,
  present: presentKey,
});
