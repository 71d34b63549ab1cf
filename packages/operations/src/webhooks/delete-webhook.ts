import { deleteWebhook } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { noContent } from '../shapes.js';
import { exampleWebhook, webhookFields } from './webhook-shape.js';

export default defineOperation({
  name: 'deleteWebhook',
  summary: 'Delete a webhook with its secret and its deliveries.',
  guidance: 'To stop deliveries for a while, disable it instead.',
  scope: 'webhooks:write',
  effect: 'delete',
  boundary: 'atomic',
  http: { method: 'delete', path: '/webhooks/:id', status: 204 },
  input: z.strictObject({ id: webhookFields.id }),
  output: noContent,
  failures: ['webhook.not_found', 'request.precondition_failed'],
  example: { input: { id: exampleWebhook.id }, output: {} },
  sentence: () => 'Deleted the webhook.',
  object: ({ id }) => id,
  useCase: deleteWebhook,
  present: () => ({}),
});
