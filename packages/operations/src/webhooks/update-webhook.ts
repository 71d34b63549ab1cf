import { etagOf } from '@switchboard/domain';
import { updateWebhook, withEndpointCheck } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleWebhook, presentWebhook, webhookFields, webhookShape } from './webhook-shape.js';

export default defineOperation({
  name: 'updateWebhook',
  summary: 'Update a webhook, or disable and enable it.',
  guidance:
    'Only fields that are sent change. A new url receives the challenge. Enabled again, a webhook receives the events from then on; redeliverWebhookEvents sends what it missed.',
  scope: 'webhooks:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'patch', path: '/webhooks/:id', status: 200 },
  input: z.strictObject({
    id: webhookFields.id,
    url: webhookFields.url.optional(),
    events: webhookFields.events.optional(),
    profile_ids: webhookFields.profile_ids.optional(),
    description: webhookFields.description.optional(),
    hide_personal_data: webhookFields.hide_personal_data.optional(),
    disabled: webhookFields.disabled.optional(),
  }),
  output: webhookShape,
  failures: [
    'webhook.not_found',
    'key.policy_exceeded',
    'profile.not_found',
    'webhook.url_refused',
    'webhook.challenge_failed',
    'request.precondition_failed',
  ],
  example: { input: { id: exampleWebhook.id, events: exampleWebhook.events }, output: exampleWebhook },
  sentence: ({ id }) => `Updated the webhook ${id}.`,
  etag: etagOf,
  prepareCall: withEndpointCheck,
  useCase: updateWebhook,
  present: presentWebhook,
});
