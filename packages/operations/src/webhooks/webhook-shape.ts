import { eventTypePatterns, eventTypes } from '@switchboard/domain/events';
import {
  webhookDeliveryStatuses,
  webhookErrors,
  type CreatedWebhook,
  type Webhook,
  type WebhookDelivery,
} from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { components, id, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

const exampleProfileId = 'prf_01kah3v5w8e2m6r9t0x4y7z1ab';
const exampleWebhookId = 'whk_01kah3v5w8e2m6r9t0x4y7z1ab';
const exampleWebhookDeliveryId = 'whd_01kah3v5w8e2m6r9t0x4y7z1ab';

export const eventTypePattern = z.enum(eventTypePatterns).register(components, { id: 'EventTypePattern' });

/** What a caller sets. */
export const webhookFields = {
  id: id(exampleWebhookId),
  url: z
    .string()
    .min(1)
    .max(2000)
    .meta({
      examples: ['https://hooks.lumen.example/switchboard'],
      description: 'https URL of the endpoint.',
    }),
  events: z
    .array(eventTypePattern)
    .min(1)
    .max(eventTypePatterns.length)
    .describe('Types; post.* matches all of posts.'),
  profile_ids: z
    .array(id(exampleProfileId))
    .min(1)
    .max(100)
    .nullable()
    .describe('Only events of these profiles; null for all, including those of no profile.'),
  description: z.string().max(500).nullable(),
  hide_personal_data: z.boolean().describe('Mask the names of accounts.'),
  disabled: z.boolean().describe('A disabled webhook receives nothing.'),
};

export const webhookShape = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(eventTypePattern),
    profile_ids: z.array(z.string()).nullable(),
    description: z.string().nullable(),
    disabled: z.boolean(),
    disabled_reason: z
      .enum(['requested', 'gone', 'failing'])
      .nullable()
      .describe('gone: it responded with 410; failing: every delivery failed for five days.'),
    failing_since: time.nullable().describe('Since when every attempt has failed.'),
    hide_personal_data: z.boolean(),
    created_at: time,
  })
  .register(components, { id: 'Webhook' });

/** Includes the signing secret, which is returned once. */
export const newWebhookShape = webhookShape
  .extend({ secret: z.string().nullable(), secret_available: z.boolean() })
  .register(components, { id: 'NewWebhook' });

export const presentWebhook = (webhook: Webhook): z.input<typeof webhookShape> => ({
  ...toWireFormat(webhook),
  disabled: webhook.disabledReason !== null,
});

export const presentNewWebhook = ({ webhook, secret }: CreatedWebhook): z.input<typeof newWebhookShape> => ({
  ...presentWebhook(webhook),
  secret: secret.reveal(),
  secret_available: true,
});

export const webhookAttemptShape = z
  .object({
    at: time,
    status: z.int().nullable().describe('HTTP status; null without a response.'),
    latency_ms: z.int(),
    response_head: z
      .string()
      .nullable()
      .describe('First kilobyte of the response, with HTML and control characters escaped.'),
    error: z.enum(webhookErrors).nullable().describe('Null after a success.'),
  })
  .register(components, { id: 'WebhookAttempt' });

export const webhookDeliveryShape = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    event_id: z.string(),
    event_type: z.enum(eventTypes),
    status: z.enum(webhookDeliveryStatuses),
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    last_attempt: webhookAttemptShape.nullable(),
    created_at: time,
    settled_at: time.nullable(),
  })
  .register(components, { id: 'WebhookDelivery' });

export const presentWebhookDelivery = (delivery: WebhookDelivery): z.input<typeof webhookDeliveryShape> =>
  toWireFormat(delivery);

export const exampleWebhook: z.input<typeof webhookShape> = {
  id: exampleWebhookId,
  url: 'https://hooks.lumen.example/switchboard',
  events: ['post.*', 'connection.needs_reauth'],
  profile_ids: [exampleProfileId],
  description: 'CRM',
  disabled: false,
  disabled_reason: null,
  failing_since: null,
  hide_personal_data: false,
  created_at: '2026-11-21T09:00:00.000Z',
};

export const exampleNewWebhook: z.input<typeof newWebhookShape> = {
  ...exampleWebhook,
  secret: 'whsec_…',
  secret_available: true,
};

export const exampleAttempt: z.input<typeof webhookAttemptShape> = {
  at: '2026-11-21T09:00:03.000Z',
  status: 204,
  latency_ms: 41,
  response_head: '',
  error: null,
};

export const exampleWebhookDelivery: z.input<typeof webhookDeliveryShape> = {
  id: exampleWebhookDeliveryId,
  webhook_id: exampleWebhookId,
  event_id: 'evt_01kah3v5w8e2m6r9t0x4y7z1ab',
  event_type: 'post.published',
  status: 'delivered',
  attempts: 1,
  next_attempt_at: null,
  last_attempt: exampleAttempt,
  created_at: '2026-11-21T09:00:02.000Z',
  settled_at: '2026-11-21T09:00:03.000Z',
};
