import { etagOf } from '@switchboard/domain';
import { createWebhook, withEndpointCheck } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleNewWebhook, newWebhookShape, presentNewWebhook, webhookFields } from './webhook-shape.js';

export default defineOperation({
  name: 'createWebhook',
  summary: 'Create a webhook: an endpoint that receives events as they happen.',
  guidance:
    'The endpoint first receives a body with type webhook.challenge, and must respond with status 200 and its challenge. The signing secret (Standard Webhooks) is returned once. It receives the events from now on.',
  scope: 'webhooks:write',
  effect: 'create',
  boundary: 'atomic',
  http: { method: 'post', path: '/webhooks', status: 201 },
  input: z.strictObject({
    url: webhookFields.url,
    events: webhookFields.events,
    profile_ids: webhookFields.profile_ids.optional(),
    description: webhookFields.description.optional(),
    hide_personal_data: webhookFields.hide_personal_data.optional(),
    disabled: webhookFields.disabled.optional(),
  }),
  output: newWebhookShape,
  oneTimeFields: ['secret'],
  failures: [
    'key.policy_exceeded',
    'profile.not_found',
    'webhook.url_refused',
    'webhook.challenge_failed',
    'webhook.limit_reached',
  ],
  example: {
    input: {
      url: exampleNewWebhook.url,
      events: exampleNewWebhook.events,
      profile_ids: exampleNewWebhook.profile_ids,
      description: exampleNewWebhook.description,
    },
    output: exampleNewWebhook,
  },
  sentence: ({ id }) => `Created the webhook ${id}.`,
  etag: ({ webhook }) => etagOf(webhook),
  prepareCall: withEndpointCheck,
  useCase: createWebhook,
  present: presentNewWebhook,
});
