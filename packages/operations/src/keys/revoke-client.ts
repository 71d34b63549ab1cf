import { revokeClient } from '@switchboard/domain/clients';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { noContent } from '../shapes.js';
import { clientId, exampleClient } from './client-shape.js';
import { exampleKey, keyFields } from './key-shape.js';

export default defineOperation({
  name: 'revokeClient',
  summary: 'End the access of an OAuth client immediately.',
  guidance: 'Every process rejects its tokens within a second. It stays in the list; the key stays valid.',
  scope: 'keys:admin',
  effect: 'delete',
  boundary: 'atomic',
  http: { method: 'delete', path: '/keys/:id/clients/:client_id', status: 204 },
  input: z.strictObject({ id: keyFields.id, client_id: clientId }),
  output: noContent,
  failures: ['key.not_found', 'client.not_found'],
  example: { input: { id: exampleKey.id, client_id: exampleClient.id }, output: {} },
  sentence: () => 'Revoked the client.',
  object: ({ id }) => id,
  useCase: revokeClient,
  present: () => ({}),
});
