import { redeliverWebhookDelivery } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import {
  exampleWebhookDelivery,
  presentWebhookDelivery,
  webhookDeliveryShape,
  webhookFields,
} from './webhook-shape.js';

export default defineOperation({
  name: 'redeliverWebhookDelivery',
  summary: 'Send one event to a webhook again.',
  guidance: 'The message keeps its webhook-id, so that a receiver can ignore it.',
  scope: 'webhooks:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/webhooks/:id/deliveries/:delivery_id/redeliver', status: 200 },
  input: z.strictObject({ id: webhookFields.id, delivery_id: id(exampleWebhookDelivery.id) }),
  output: webhookDeliveryShape,
  failures: ['webhook.not_found', 'webhook_delivery.not_found', 'webhook.disabled'],
  example: {
    input: { id: exampleWebhookDelivery.webhook_id, delivery_id: exampleWebhookDelivery.id },
    output: {
      ...exampleWebhookDelivery,
      status: 'pending',
      attempts: 0,
      next_attempt_at: '2026-11-21T10:00:00.000Z',
      settled_at: null,
    },
  },
  sentence: ({ id: deliveryId }) => `${deliveryId} is sent again.`,
  useCase: redeliverWebhookDelivery,
  present: presentWebhookDelivery,
});
