import { eventTypes, type EventDataOf, type EventType } from '@switchboard/domain/events';
import type { NextCall } from '@switchboard/domain';
import { z } from 'zod';
import { approvalKind, approvalStatus } from '../approvals/approval-shape.js';
import { scopeShape } from '../keys/key-shape.js';
import { deliveryStatus, exampleDeliveryId, postStatus } from '../posts/post-shape.js';
import { fulfillmentStatus, orderStatus, paymentStatus } from '../orders/order-shape.js';
import { refundStatus } from '../refunds/refund-shape.js';
import { alternatives, components, moneyShape, nextCallShape, time } from '../shapes.js';

const eventFields = {
  id: z.string(),
  created_at: time,
  profile_id: z
    .string()
    .nullable()
    .describe('Null for what belongs to no profile, such as a key.')
    .register(components, { id: 'EventProfileId' }),
  sequence: z
    .int()
    .describe('Increases with every event of an object.')
    .register(components, { id: 'EventSequence' }),
};

const truncated = z
  .literal(true)
  .describe('A list or a text was cut.')
  .register(components, { id: 'EventTruncated' });

/** The payload of types whose data have the same fields. A schema that differs from the domain's type does not compile. */
export const defineEventShape = <
  const Types extends readonly [EventType, ...EventType[]],
  Data extends z.ZodRawShape,
>(
  id: string,
  types: Types,
  data: z.ZodObject<Data> & SameData<Types[number], z.output<z.ZodObject<Data>>>,
) => {
  return {
    types,
    data,
    shape: z
      .object({
        type: z.enum(types),
        ...eventFields,
        data: z.object({ ...data.shape, truncated: truncated.optional() }),
      })
      .register(components, { id }),
  };
};

/** What a schema and the domain's type both say, without the marks of either. */
type PlainData<Value> = Value extends NextCall
  ? { readonly operation: string; readonly arguments: Readonly<Record<string, unknown>> }
  : Value extends object
    ? { readonly [Field in keyof Value]: PlainData<Value[Field]> }
    : Value;
type IsSame<One, Other> = [One, Other] extends [Other, One]
  ? [keyof One, keyof Other] extends [keyof Other, keyof One]
    ? true
    : false
  : false;
/** Refuses a schema of an event's data that differs from the domain's type. */
type SameData<Types extends EventType, Data> =
  IsSame<PlainData<EventDataOf[Types]>, PlainData<Data>> extends true
    ? unknown
    : { 'the schema differs from the data of the event': PlainData<EventDataOf[Types]> };

const eventError = z
  .object({ code: z.string(), message: z.string() })
  .register(components, { id: 'EventError' });
const account = z.object({ connection_id: z.string(), platform: z.string(), account: z.string() });
const delivery = z.object({
  delivery_id: z.string(),
  connection_id: z.string(),
  platform: z.string(),
  status: deliveryStatus,
  external_id: z.string().nullable(),
  url: z.string().nullable(),
  error: eventError.nullable(),
});
const client = z.object({
  client_id: z.string(),
  name: z.string().describe('As it calls itself.'),
  host: z.string(),
});
const approvalRequest = z.object({
  approval_id: z.string(),
  kind: approvalKind,
  status: approvalStatus,
  summary: z.string().describe('What is to be decided.'),
  post_id: z.string().exactOptional(),
  refund_id: z.string().exactOptional(),
  requested_by: z.string(),
  requested_at: time,
  expires_at: time,
});
const namedKey = z.object({ key_id: z.string(), name: z.string() });

/** Every type of event with its payload. */
export const eventShapes = [
  defineEventShape(
    'ConnectionEvent',
    ['connection.connected', 'connection.restored'],
    account.extend({ reconnected: z.boolean(), connect_session_id: z.string().exactOptional() }),
  ),
  defineEventShape(
    'ConnectionDegradedEvent',
    ['connection.degraded'],
    account.extend({
      reason: z.enum(['app_missing', 'permission_missing', 'ends_soon']),
      expires_at: time.nullable(),
      days_left: z.int().nullable(),
      missing_permissions: z.array(z.string()),
      next: nextCallShape,
    }),
  ),
  defineEventShape(
    'ConnectionNeedsReauthEvent',
    ['connection.needs_reauth'],
    account.extend({
      reason: z.enum(['grant_ended', 'token_refused', 'refresh_lost']),
      affected_posts: z
        .object({ count: z.int(), ids: z.array(z.string()) })
        .describe('The posts that wait for it, and the first ids.'),
      next: nextCallShape,
    }),
  ),
  defineEventShape(
    'ConnectionDisconnectedEvent',
    ['connection.disconnected'],
    z.object({ connection_id: z.string(), platform: z.string(), cancelled_deliveries: z.int() }),
  ),
  defineEventShape(
    'PostEvent',
    [
      'post.created',
      'post.updated',
      'post.deleted',
      'post.removed_at_platform',
      'post.scheduled',
      'post.published',
      'post.partially_published',
      'post.failed',
      'post.missed',
      'post.cancelled',
      'post.needs_review',
    ],
    z.object({
      post_id: z.string(),
      status: postStatus,
      scheduled_at: time,
      deliveries: z.array(delivery),
      cancelled_delivery_ids: z.array(z.string()).exactOptional(),
      removed_delivery_ids: z.array(z.string()).exactOptional(),
    }),
  ),
  defineEventShape(
    'PostDeliveryEvent',
    ['post.delivery_published', 'post.delivery_failed'],
    delivery.extend({ post_id: z.string() }),
  ),
  defineEventShape(
    'MediaFailedEvent',
    ['media.failed'],
    z.object({
      media_id: z.string(),
      error: eventError,
      posts: z
        .array(z.object({ post_id: z.string(), delivery_ids: z.array(z.string()) }))
        .describe('The unsent posts that use it.'),
    }),
  ),
  defineEventShape(
    'OrderEvent',
    ['order.created', 'order.updated'],
    z.object({
      order_id: z.string(),
      connection_id: z.string(),
      platform: z.string(),
      external_id: z.string(),
      number: z.string(),
      status: orderStatus,
      payment_status: paymentStatus,
      fulfillment_status: fulfillmentStatus,
      total: moneyShape,
      refunded: moneyShape,
      created_at: time,
      updated_at: time.describe('By the store’s clock.'),
    }),
  ),
  defineEventShape(
    'RefundEvent',
    ['refund.created', 'refund.succeeded', 'refund.failed', 'refund.needs_review'],
    z.object({
      refund_id: z.string(),
      order_id: z.string(),
      connection_id: z.string(),
      platform: z.string(),
      status: refundStatus,
      amount: moneyShape,
      money_moved: z.boolean().nullable(),
      external_id: z.string().nullable(),
      error: eventError.nullable(),
      resolved_by: z.string().describe('Who recorded its outcome.').exactOptional(),
      resolution_note: z.string().nullable().exactOptional(),
    }),
  ),
  defineEventShape(
    'ApprovalRequestedEvent',
    ['approval.requested'],
    approvalRequest.extend({
      decision_url: z.string().exactOptional().describe('Only for keys and webhooks that may receive it.'),
    }),
  ),
  defineEventShape(
    'ApprovalDecidedEvent',
    ['approval.decided'],
    approvalRequest.extend({
      decided_by: z.string().nullable(),
      decided_at: time.nullable(),
      note: z.string().nullable(),
    }),
  ),
  defineEventShape('KeyCreatedEvent', ['key.created'], namedKey.extend({ scopes: z.array(scopeShape) })),
  defineEventShape(
    'KeyRotatedEvent',
    ['key.rotated'],
    namedKey.extend({ new_key_id: z.string(), old_key_ends_at: time }),
  ),
  defineEventShape('KeyRevokedEvent', ['key.revoked'], namedKey),
  defineEventShape(
    'ClientAuthorizedEvent',
    ['client.authorized'],
    client.extend({ key_id: z.string(), scopes: z.array(scopeShape) }),
  ),
  defineEventShape(
    'ClientRevokedEvent',
    ['client.revoked'],
    client.extend({
      reason: z.enum(['revoked', 'key_revoked', 'signed_out', 'token_reused']).nullable(),
    }),
  ),
  defineEventShape(
    'WebhookDisabledEvent',
    ['webhook.disabled'],
    z.object({
      webhook_id: z.string(),
      url: z.string(),
      description: z.string().nullable(),
      reason: z.enum(['gone', 'failing']),
      failing_since: time.nullable(),
      next: nextCallShape,
    }),
  ),
] as const;

/** Other messages that an endpoint receives; no list of events contains them. */
export const webhookMessageShapes = {
  'webhook.test': z
    .object({
      type: z.literal('webhook.test'),
      ...eventFields,
      data: z.object({ webhook_id: z.string() }),
    })
    .register(components, { id: 'WebhookTest' }),
  'webhook.challenge': z
    .object({ type: z.literal('webhook.challenge'), challenge: z.string() })
    .register(components, { id: 'WebhookChallenge' }),
};

/**
 * An event as it is returned. Its data are what the version that wrote it knew: they are documented by type, and
 * not compared with the present schemas.
 */
export const eventShape = z
  .object({ type: z.enum(eventTypes), ...eventFields, data: z.record(z.string(), z.unknown()) })
  .register(components, { id: 'Event' });
alternatives.set(
  eventShape,
  eventShapes.map(({ shape }) => shape),
);

/** The same for the changes of orders. */
export const orderChangeShape = z.object({
  type: z.enum(['order.created', 'order.updated']),
  ...eventFields,
  data: z.record(z.string(), z.unknown()),
});
alternatives.set(
  orderChangeShape,
  eventShapes.flatMap(({ types, shape }) =>
    (types as readonly string[]).includes('order.created') ? [shape] : [],
  ),
);

export const exampleOrderEvent = {
  id: 'evt_01kah3v5w8e2m6r9t0x4y7z1ac',
  type: 'order.updated' as const,
  created_at: '2026-11-21T09:00:40.000Z',
  profile_id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  sequence: 43,
  data: {
    order_id: 'ord_AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr',
    connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
    platform: 'shopify',
    external_id: 'so_9f2k',
    number: '1042',
    status: 'open',
    payment_status: 'paid',
    fulfillment_status: 'fulfilled',
    total: { amount: '59.38', currency: 'EUR' },
    refunded: { amount: '0.00', currency: 'EUR' },
    created_at: '2026-11-20T09:00:00.000Z',
    updated_at: '2026-11-21T09:00:00.000Z',
  },
};

export const exampleEvent = {
  id: 'evt_01kah3v5w8e2m6r9t0x4y7z1ab',
  type: 'post.published' as const,
  created_at: '2026-11-21T09:00:02.000Z',
  profile_id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  sequence: 42,
  data: {
    post_id: 'pst_01kah3v5w8e2m6r9t0x4y7z1ab',
    status: 'published',
    scheduled_at: '2026-11-21T09:00:00.000Z',
    deliveries: [
      {
        delivery_id: exampleDeliveryId,
        connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
        platform: 'bluesky',
        status: 'published',
        external_id: '3lbg4k2m7xs2a',
        url: 'https://bsky.app/profile/lumen.coffee/post/3lbg4k2m7xs2a',
        error: null,
      },
    ],
  },
};
