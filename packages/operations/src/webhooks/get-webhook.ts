import { etagOf } from '@switchboard/domain';
import { getWebhook } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleWebhook, presentWebhook, webhookFields, webhookShape } from './webhook-shape.js';

export default defineOperation({
  name: 'getWebhook',
  summary: 'Get a webhook.',
  guidance: 'Its signing secret is never returned again; rotate it to get a new one.',
  scope: 'webhooks:read',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/webhooks/:id', status: 200 },
  input: z.strictObject({ id: webhookFields.id }),
  output: webhookShape,
  failures: ['webhook.not_found'],
  example: { input: { id: exampleWebhook.id }, output: exampleWebhook },
  sentence: ({ id, disabled }) => `${id} is ${disabled ? 'disabled' : 'enabled'}.`,
  etag: etagOf,
  useCase: getWebhook,
  present: presentWebhook,
});
