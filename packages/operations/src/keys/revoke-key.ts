import { revokeKey } from '@switchboard/domain';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { noContent } from '../shapes.js';
import { exampleKey, keyFields } from './key-shape.js';

export default defineOperation({
  name: 'revokeKey',
  summary: 'End an API key now.',
  guidance: 'Every process refuses it within a second. It stays in the list.',
  scope: 'keys:admin',
  effect: 'delete',
  boundary: 'atomic',
  surfaces: ['rest'],
  toolset: 'admin',
  http: { method: 'delete', path: '/keys/:id', status: 204 },
  input: z.strictObject({ id: keyFields.id }),
  output: noContent,
  failures: ['key.not_found'],
  example: { input: { id: exampleKey.id }, output: {} },
  sentence: () => 'The key has ended.',
  object: ({ id }) => id,
  useCase: revokeKey,
  present: () => ({}),
});
