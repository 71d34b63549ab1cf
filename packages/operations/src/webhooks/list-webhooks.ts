import { listWebhooks } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatPageCount } from '../format-count.js';
import { cursor, limit, pageOf } from '../shapes.js';
import { exampleWebhook, presentWebhook, webhookShape } from './webhook-shape.js';

export default defineOperation({
  name: 'listWebhooks',
  summary: 'List the webhooks of the workspace, newest first.',
  guidance: 'A webhook with failing_since needs attention; one that is disabled receives nothing.',
  scope: 'webhooks:read',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/webhooks', status: 200 },
  input: z.strictObject({ limit, cursor }),
  output: pageOf(webhookShape),
  failures: ['request.invalid_cursor'],
  example: { input: { limit: 20 }, output: { data: [exampleWebhook], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'webhook')}.`,
  useCase: listWebhooks,
  present: ({ items, nextCursor }) => ({ data: items.map(presentWebhook), next_cursor: nextCursor }),
});
