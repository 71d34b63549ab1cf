import { etagOf } from '@switchboard/domain';
import { createKey } from '@switchboard/domain/access';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleNewKey, keyFields, newKeyShape, presentNewKey } from './key-shape.js';

export default defineOperation({
  name: 'createKey',
  summary: 'Create an API key with at most the permissions of the calling key.',
  guidance: 'The secret is returned once. A replay with the same idempotency key has secret: null.',
  scope: 'keys:admin',
  effect: 'create',
  boundary: 'atomic',
  http: { method: 'post', path: '/keys', status: 201 },
  input: z.strictObject({
    name: keyFields.name,
    scopes: keyFields.scopes,
    policy: keyFields.policy.optional(),
  }),
  output: newKeyShape,
  oneTimeFields: ['secret'],
  failures: ['key.scope_exceeded', 'key.policy_exceeded', 'key.delegation_too_deep', 'profile.not_found'],
  example: {
    input: {
      name: 'support',
      scopes: ['orders:read', 'refunds:write'],
      policy: { refund_ceilings: [{ currency: 'EUR', per_refund: '50.00', per_day: '500.00' }] },
    },
    output: exampleNewKey,
  },
  sentence: ({ id }) => `Created the key ${id}.`,
  etag: ({ key }) => etagOf(key),
  useCase: createKey,
  present: presentNewKey,
});
