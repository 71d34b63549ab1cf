import { listWebhookDeliveries, webhookDeliveryStatuses } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatPageCount } from '../format-count.js';
import { cursor, limit, pageOf } from '../shapes.js';
import {
  exampleWebhookDelivery,
  presentWebhookDelivery,
  webhookDeliveryShape,
  webhookFields,
} from './webhook-shape.js';

export default defineOperation({
  name: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook, newest first.',
  guidance:
    'Pending deliveries, and those settled in the last 14 days, each with its latest attempt. A delivery is retried nine times within 76 hours.',
  scope: 'webhooks:read',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/webhooks/:id/deliveries', status: 200 },
  input: z.strictObject({
    id: webhookFields.id,
    status: z.array(z.enum(webhookDeliveryStatuses)).min(1).max(webhookDeliveryStatuses.length).optional(),
    limit,
    cursor,
  }),
  output: pageOf(webhookDeliveryShape),
  failures: ['webhook.not_found', 'request.invalid_cursor'],
  example: {
    input: { id: exampleWebhookDelivery.webhook_id, status: ['failed', 'delivered'] },
    output: { data: [exampleWebhookDelivery], next_cursor: null },
  },
  sentence: (page) => `${formatPageCount(page, 'delivery')}.`,
  useCase: listWebhookDeliveries,
  present: ({ items, nextCursor }) => ({
    data: items.map(presentWebhookDelivery),
    next_cursor: nextCursor,
  }),
});
