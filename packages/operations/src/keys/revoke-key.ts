import { revokeKey } from '@switchboard/domain/access';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { noContent } from '../shapes.js';
import { exampleKey, keyFields } from './key-shape.js';

export default defineOperation({
  name: 'revokeKey',
  summary: 'Revoke an API key immediately.',
  guidance: 'Every process rejects it within a second. It stays in the list.',
  scope: 'keys:admin',
  effect: 'delete',
  boundary: 'atomic',
  http: { method: 'delete', path: '/keys/:id', status: 204 },
  input: z.strictObject({ id: keyFields.id }),
  output: noContent,
  failures: ['key.not_found'],
  example: { input: { id: exampleKey.id }, output: {} },
  sentence: () => 'Revoked the key.',
  object: ({ id }) => id,
  useCase: revokeKey,
  present: () => ({}),
});
