import { etagOf } from '@switchboard/domain';
import { getKey } from '@switchboard/domain/access';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleKey, keyFields, keyShape, presentKey } from './key-shape.js';

export default defineOperation({
  name: 'getKey',
  summary: 'Read an API key: its permissions and its last use.',
  guidance: 'last_used_at is updated every 30 seconds.',
  scope: 'keys:admin',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/keys/:id', status: 200 },
  input: z.strictObject({ id: keyFields.id }),
  output: keyShape,
  failures: ['key.not_found'],
  example: { input: { id: exampleKey.id }, output: exampleKey },
  sentence: ({ id }) => `The key ${id}.`,
  etag: etagOf,
  useCase: getKey,
  present: presentKey,
});
