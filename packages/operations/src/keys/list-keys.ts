import { listKeys } from '@switchboard/domain/access';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { cursor, limit, pageOf } from '../shapes.js';
import { exampleKey, keyShape, presentKey } from './key-shape.js';

export default defineOperation({
  name: 'listKeys',
  summary: 'List the API keys of the workspace, newest first.',
  guidance: 'Includes revoked, rotated and expired keys. Secrets are never returned again.',
  scope: 'keys:admin',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/keys', status: 200 },
  input: z.strictObject({ limit, cursor }),
  output: pageOf(keyShape),
  failures: ['request.invalid_cursor'],
  example: { input: { limit: 20 }, output: { data: [exampleKey], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'key')}.`,
  useCase: listKeys,
  present: ({ items, nextCursor }) => ({ data: items.map(presentKey), next_cursor: nextCursor }),
});
