import { etagOf } from '@switchboard/domain';
import { rotateKey } from '@switchboard/domain/access';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleNewKey, keyFields, newKeyShape, presentNewKey } from './key-shape.js';

export default defineOperation({
  name: 'rotateKey',
  summary: 'Rotate an API key: create its replacement.',
  guidance:
    'Returns the new key, with the same scopes and policy. The old key stays valid for overlap_seconds (default one hour; 0 revokes it now).',
  scope: 'keys:admin',
  effect: 'create',
  boundary: 'atomic',
  http: { method: 'post', path: '/keys/:id/rotate', status: 201 },
  input: z.strictObject({
    id: keyFields.id,
    overlap_seconds: z.int().min(0).max(2_592_000).default(3600),
  }),
  output: newKeyShape,
  oneTimeFields: ['secret'],
  failures: [
    'key.not_found',
    'key.ended',
    'key.scope_exceeded',
    'key.policy_exceeded',
    'key.delegation_too_deep',
  ],
  example: { input: { id: exampleNewKey.id, overlap_seconds: 86_400 }, output: exampleNewKey },
  sentence: ({ id }) => `${id} replaces the key.`,
  etag: ({ key }) => etagOf(key),
  useCase: rotateKey,
  present: presentNewKey,
});
