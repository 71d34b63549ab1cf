import { ok, Secret, type OrderWebhooks, type Session } from '@switchboard/platform-kit';
import { isSigned } from '@switchboard/platform-kit/is-signed';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import {
  ensureSubscriptions,
  removeSubscriptions,
  type WebhookSubscriptions,
} from '@switchboard/platform-kit/webhook-subscriptions';
import { SQUARE_VERSION } from './version.js';
import { errorMapping, nothing, readWebhookBody, requestJson, webhookAnswer, webhookList } from './wire.js';

const EVENT_TYPES = ['order.created', 'order.updated'];
/** A subscription has several event types: here they are one topic. */
const TOPIC = EVENT_TYPES.join(' ');
const PATH = '/v2/webhooks/subscriptions';

export const webhooks: OrderWebhooks = {
  // Subscriptions belong to the application: they need its own token, and no seller's (NOTES.md).
  connectMethods: ['access_token'],
  secret: 'issued',

  async register(session, target) {
    const ensured = await ensureSubscriptions(subscriptionsOf(session, target.url), [TOPIC], target);
    if (!ensured.ok) return ensured;
    const { externalIds } = ensured.value;
    const [id = ''] = externalIds;
    // The list does not contain it.
    const found = await requestJson(session, `${PATH}/${encodeURIComponent(id)}`, webhookAnswer);
    if (!found.ok) return found;
    const { signature_key: key } = found.value.subscription;
    return key ? ok({ externalIds, secret: new Secret(key) }) : unreadableResponse(errorMapping, 'read');
  },

  remove: (session, target) => removeSubscriptions(subscriptionsOf(session, target.url), target),

  read({ url, secret, account, headers, body }) {
    if (!isSigned(headers['x-square-hmacsha256-signature'], secret, [url, body])) return { kind: 'forged' };
    const event = readWebhookBody(body);
    // The application may have other sellers.
    return event?.merchant_id === account.id
      ? { kind: 'order', externalId: event.orderId, deliveryId: event.event_id }
      : { kind: 'nothing' };
  },
};

const subscriptionsOf = (session: Session, url: string): WebhookSubscriptions => ({
  async list() {
    const all = [];
    let cursor: string | undefined;
    do {
      const listed = await requestJson(
        session,
        { path: PATH, query: { include_disabled: true, cursor } },
        webhookList,
      );
      if (!listed.ok) return listed;
      all.push(...(listed.value.subscriptions ?? []));
      cursor = listed.value.cursor ?? undefined;
    } while (cursor !== undefined);
    return ok(
      all.map(({ id, enabled, event_types: types, notification_url }) => ({
        id,
        topic: EVENT_TYPES.every((type) => types?.includes(type)) ? TOPIC : '',
        url: notification_url ?? '',
        isActive: enabled ?? false,
      })),
    );
  },
  async create() {
    const subscription = {
      name: 'Switchboard: orders',
      event_types: EVENT_TYPES,
      notification_url: url,
      api_version: SQUARE_VERSION,
    };
    const created = await requestJson(
      session,
      { method: 'POST', path: PATH, json: { subscription }, effect: 'write' },
      webhookAnswer,
    );
    return created.ok ? ok(created.value.subscription.id) : created;
  },
  async remove(id) {
    const removed = await requestJson(
      session,
      { method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}`, effect: 'idempotent' },
      nothing,
      ({ code }) => (code === 'NOT_FOUND' ? ok({}) : undefined),
    );
    return removed.ok ? ok() : removed;
  },
});
