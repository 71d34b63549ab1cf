import { etagOf } from '@switchboard/domain';
import { rotateWebhookSecret, withEndpointCheck } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleNewWebhook, newWebhookShape, presentNewWebhook, webhookFields } from './webhook-shape.js';

export default defineOperation({
  name: 'rotateWebhookSecret',
  summary: 'Replace the signing secret of a webhook.',
  guidance:
    'The new secret is returned once. Deliveries are signed with both secrets for overlap_seconds (default one day; 0 ends the old one now).',
  scope: 'webhooks:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/webhooks/:id/rotate', status: 200 },
  input: z.strictObject({
    id: webhookFields.id,
    overlap_seconds: z.int().min(0).max(2_592_000).default(86_400),
  }),
  output: newWebhookShape,
  oneTimeFields: ['secret'],
  failures: ['webhook.not_found'],
  example: { input: { id: exampleNewWebhook.id, overlap_seconds: 3600 }, output: exampleNewWebhook },
  sentence: ({ id }) => `The webhook ${id} has a new secret.`,
  etag: ({ webhook }) => etagOf(webhook),
  prepareCall: (ports, call, { id }) => withEndpointCheck(ports, call, { id }),
  useCase: rotateWebhookSecret,
  present: presentNewWebhook,
});
