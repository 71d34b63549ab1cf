import { redeliverWebhookEvents } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { instant } from '../shapes.js';
import { exampleWebhook, presentWebhook, webhookFields, webhookShape } from './webhook-shape.js';

export default defineOperation({
  name: 'redeliverWebhookEvents',
  summary: 'Send the events of a period to a webhook again.',
  guidance:
    'Every event of the period that its filters select, whether or not it was delivered, as long as events are kept (90 days). Each message keeps its webhook-id.',
  scope: 'webhooks:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/webhooks/:id/redeliver', status: 200 },
  input: z.strictObject({
    id: webhookFields.id,
    since: instant,
    until: instant.describe('Now when omitted.').optional(),
  }),
  output: webhookShape,
  failures: ['webhook.not_found', 'webhook.disabled', 'webhook.redelivery_in_progress'],
  example: {
    input: { id: exampleWebhook.id, since: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z' },
    output: exampleWebhook,
  },
  sentence: ({ id }) => `The events of the period are sent to ${id} again.`,
  useCase: redeliverWebhookEvents,
  present: presentWebhook,
});
