import { describe, expect, test } from '@jest/globals';
import { nextCall, type Id } from '@switchboard/domain';
import { eventTypes, type EventDataOf, type EventType } from '@switchboard/domain/events';
import { formatWebhookBody } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineEventShape, eventShapes } from './event-shape.js';

const connection = { connection_id: 'con_1', platform: 'bluesky', account: 'lumen.coffee' };
const delivery = {
  delivery_id: 'dlv_1',
  connection_id: 'con_1',
  platform: 'bluesky',
  status: 'failed',
  external_id: null,
  url: null,
  error: { code: 'text.too_long', message: 'The text is too long.' },
} as const;
const connected = { ...connection, reconnected: true, connect_session_id: 'cns_1' };
const post = {
  post_id: 'pst_1',
  status: 'failed',
  scheduled_at: '2026-11-21T09:00:00.000Z',
  deliveries: [delivery],
} as const;
const refund = {
  refund_id: 'rfd_1',
  order_id: 'ord_1',
  connection_id: 'con_1',
  platform: 'shopify',
  status: 'failed',
  amount: { amount: '12.00', currency: 'EUR' },
  money_moved: null,
  external_id: null,
  error: { code: 'refund.refused', message: 'The store refused.' },
} as const;
const client = { client_id: 'cli_1', name: 'Agent', host: 'agent.example' };
const approval = {
  approval_id: 'apr_1',
  kind: 'post',
  status: 'pending',
  summary: 'Publish a post on @ada (Bluesky) now.',
  post_id: 'pst_1',
  requested_by: 'key_1',
  requested_at: '2026-11-24T09:00:00.000Z',
  expires_at: '2026-11-27T09:00:00.000Z',
} as const;
const key = { key_id: 'key_1', name: 'CRM' };
const order = {
  order_id: 'ord_1',
  connection_id: 'con_1',
  platform: 'shopify',
  external_id: 'so_1',
  number: '1042',
  status: 'open',
  payment_status: 'paid',
  fulfillment_status: 'unfulfilled',
  total: { amount: '59.38', currency: 'EUR' },
  refunded: { amount: '0.00', currency: 'EUR' },
  created_at: '2026-11-24T09:00:00.000Z',
  updated_at: '2026-11-24T09:00:00.000Z',
} as const;

const samples: EventDataOf = {
  'connection.connected': connected,
  'connection.restored': connected,
  'connection.degraded': {
    ...connection,
    reason: 'ends_soon',
    expires_at: '2026-11-24T09:00:00.000Z',
    days_left: 3,
    missing_permissions: ['read_insights'],
    next: nextCall.startConnect({ connection_id: 'con_1' }),
  },
  'connection.needs_reauth': {
    ...connection,
    reason: 'grant_ended',
    affected_posts: { count: 1, ids: ['pst_1'] },
    next: nextCall.startConnect({ connection_id: 'con_1' }),
  },
  'connection.disconnected': { connection_id: 'con_1', platform: 'bluesky', cancelled_deliveries: 2 },
  'post.created': post,
  'post.updated': { ...post, cancelled_delivery_ids: ['dlv_2'] },
  'post.deleted': post,
  'post.removed_at_platform': { ...post, removed_delivery_ids: ['dlv_1'] },
  'post.scheduled': post,
  'post.published': post,
  'post.partially_published': post,
  'post.failed': post,
  'post.missed': post,
  'post.cancelled': { ...post, cancelled_delivery_ids: ['dlv_2'] },
  'post.needs_review': post,
  'post.delivery_published': { post_id: 'pst_1', ...delivery },
  'post.delivery_failed': { post_id: 'pst_1', ...delivery },
  'media.failed': {
    media_id: 'med_1',
    error: { code: 'media.type_unsupported', message: 'No image.' },
    posts: [{ post_id: 'pst_1', delivery_ids: ['dlv_1'] }],
  },
  'order.created': order,
  'order.updated': { ...order, fulfillment_status: 'fulfilled' },
  'refund.created': refund,
  'refund.succeeded': { ...refund, resolved_by: 'key_1', resolution_note: 'seen' },
  'refund.failed': { ...refund, resolved_by: 'key_1', resolution_note: null },
  'refund.needs_review': refund,
  'approval.requested': { ...approval, decision_url: 'https://switchboard.example/approvals/x' },
  'approval.decided': {
    ...approval,
    status: 'rejected',
    decided_by: 'key_2',
    decided_at: '2026-11-25T09:00:00.000Z',
    note: 'The price is wrong.',
  },
  'key.created': { ...key, scopes: ['posts:read'] },
  'key.rotated': { ...key, new_key_id: 'key_2', old_key_ends_at: '2026-11-24T09:00:00.000Z' },
  'key.revoked': key,
  'client.authorized': { ...client, key_id: 'key_1', scopes: ['posts:read'] },
  'client.revoked': { ...client, reason: 'signed_out' },
  'webhook.disabled': {
    webhook_id: 'whk_1',
    url: 'https://hooks.example',
    description: null,
    reason: 'gone',
    failing_since: null,
    next: nextCall.updateWebhook('whk_1'),
  },
};

/** The body that an endpoint receives, after `change` of every list and of every text that is no code. */
const bodyOf = (type: EventType, change: (data: object) => object = (data) => data, isHidden = false) =>
  JSON.parse(
    formatWebhookBody(
      {
        id: 'evt_1' as Id<'evt'>,
        workspaceId: 'wsp_1' as Id<'wsp'>,
        type,
        profileId: null,
        createdAt: new Date(0),
        sequence: 1,
        data: { ...change(samples[type]) },
      },
      { hidePersonalData: isHidden },
    ),
  ) as { data: Record<string, unknown> };

/** Refuses fields that the schema does not name. */
const closed = (shape: z.ZodType): z.ZodType =>
  z.fromJSONSchema(
    JSON.parse(
      JSON.stringify(z.toJSONSchema(shape, { io: 'input', reused: 'inline' })).replaceAll(
        '"type":"object","properties"',
        '"type":"object","additionalProperties":false,"properties"',
      ),
    ) as z.core.JSONSchema.JSONSchema,
  );
const shapeOf = (type: EventType) => {
  const found = eventShapes.filter(({ types }) => (types as readonly EventType[]).includes(type));
  expect(found).toHaveLength(1);
  return closed(found[0]?.shape ?? z.never());
};

/** Texts that are no ids, statuses or codes are long, and lists have many items. */
function enlarge(value: unknown, field = ''): unknown {
  if (Array.isArray(value))
    return field === 'scopes' || value.length === 0
      ? (value as unknown[])
      : Array.from({ length: 1000 }, () => value[0] as unknown);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, enlarge(one, name)]));
  return ['message', 'account', 'name', 'number', 'resolution_note', 'summary', 'url'].includes(field) &&
    value !== null
    ? 'é'.repeat(30_000)
    : value;
}

describe.each(eventTypes)('the payload of %s', (type) => {
  const shape = shapeOf(type);

  test('matches the one schema of its type, also without personal data', () => {
    expect(shape.safeParse(bodyOf(type)).error).toBeUndefined();
    const hidden = bodyOf(type, undefined, true);
    expect(shape.safeParse(hidden).error).toBeUndefined();
    if ('account' in samples[type]) expect(hidden.data['account']).toBe('***');
  });

  test('matches it when it was cut to 20 KB', () => {
    const cut = bodyOf(type, (data) => enlarge(data) as object);
    expect(shape.safeParse(cut).error).toBeUndefined();
    expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(20_000);
    if (type !== 'connection.disconnected') expect(cut.data['truncated']).toBe(true);
  });

  test('matches it no more with another field, or without one', () => {
    expect(shape.safeParse(bodyOf(type, (data) => ({ ...data, token: 'x' }))).success).toBe(false);
    const [first = ''] = Object.keys(samples[type]);
    const missing = bodyOf(type, (data) => ({ ...data, [first]: undefined }));
    expect(shape.safeParse(missing).success).toBe(false);
  });
});

test('a schema that differs from what the domain appends does not compile', () => {
  const name = z.object({ key_id: z.string(), name: z.string() });
  // @ts-expect-error -- a further field, although optional
  defineEventShape('KeyA', ['key.revoked'], name.extend({ more: z.string().exactOptional() }));
  // @ts-expect-error -- a field is missing
  defineEventShape('KeyB', ['key.revoked'], name.pick({ name: true }));
  // @ts-expect-error -- another type
  defineEventShape('KeyC', ['key.revoked'], name.extend({ name: z.string().nullable() }));
  expect(defineEventShape('KeyD', ['key.revoked'], name).types).toEqual(['key.revoked']);
});
