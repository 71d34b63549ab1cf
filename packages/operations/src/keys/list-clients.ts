import { listClients } from '@switchboard/domain/clients';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatPageCount } from '../format-count.js';
import { cursor, limit, pageOf } from '../shapes.js';
import { clientShape, exampleClient, presentClient } from './client-shape.js';
import { exampleKey, keyFields } from './key-shape.js';

export default defineOperation({
  name: 'listClients',
  summary: 'List the OAuth clients that people connected to an API key, newest first.',
  guidance:
    'Includes clients whose access has ended. Clients belong to the key and to those it is rotated into. last_used_at is updated every 30 seconds.',
  scope: 'keys:admin',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/keys/:id/clients', status: 200 },
  input: z.strictObject({ id: keyFields.id, limit, cursor }),
  output: pageOf(clientShape),
  failures: ['key.not_found', 'request.invalid_cursor'],
  example: { input: { id: exampleKey.id, limit: 20 }, output: { data: [exampleClient], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'client')}.`,
  useCase: listClients,
  present: ({ items, nextCursor }) => ({ data: items.map(presentClient), next_cursor: nextCursor }),
});
