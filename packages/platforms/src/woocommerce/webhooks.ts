import { createHash } from 'node:crypto';
import { ok, type OrderWebhooks, type Session } from '@switchboard/platform-kit';
import { isSigned } from '@switchboard/platform-kit/is-signed';
import {
  ensureSubscriptions,
  removeSubscriptions,
  type WebhookSubscriptions,
} from '@switchboard/platform-kit/webhook-subscriptions';
import { API } from './read-refunds.js';
import { createdWebhook, readWebhookBody, requestJson, webhookList } from './wire.js';

const TOPICS = ['order.created', 'order.updated'];
const PAGE_SIZE = 100;
const PAGES_MAX = 20;

export const webhooks: OrderWebhooks = {
  secret: 'chosen',

  register(session, target) {
    const store = subscriptionsOf(session, target.url, target.secret?.reveal() ?? '');
    return ensureSubscriptions(store, TOPICS, target);
  },

  remove: (session, target) => removeSubscriptions(subscriptionsOf(session, target.url, ''), target),

  read({ secret, headers, body }) {
    // The test of a new address: it is not signed, and must be acknowledged.
    if (headers['x-wc-webhook-signature'] === undefined && PING.test(new TextDecoder().decode(body)))
      return { kind: 'nothing' };
    if (!isSigned(headers['x-wc-webhook-signature'], secret, [body])) return { kind: 'forged' };
    const order = headers['x-wc-webhook-resource'] === 'order' ? readWebhookBody(body) : null;
    const delivery = headers['x-wc-webhook-delivery-id'];
    if (!order || delivery === undefined) return { kind: 'nothing' };
    // All deliveries of a webhook in one second have the same ID (NOTES.md).
    const digest = createHash('sha256').update(body).digest('base64url');
    return { kind: 'order', externalId: order.id, deliveryId: `${delivery} ${digest}` };
  },
};

const PING = /^webhook_id=\d+$/;

const subscriptionsOf = (session: Session, url: string, secret: string): WebhookSubscriptions => ({
  async list() {
    const all = [];
    for (let page = 1; page <= PAGES_MAX; page++) {
      const query = { per_page: PAGE_SIZE, ...(page > 1 && { page }) };
      const listed = await requestJson(session, { path: `${API}/webhooks`, query }, webhookList);
      if (!listed.ok) return listed;
      all.push(...listed.value);
      if (listed.value.length < PAGE_SIZE) break;
    }
    return ok(
      all.map(({ id, topic, delivery_url, status }) => ({
        id,
        topic,
        url: delivery_url,
        isActive: status === 'active',
      })),
    );
  },
  async create(topic) {
    const created = await requestJson(
      session,
      {
        method: 'POST',
        path: `${API}/webhooks`,
        json: { name: `Switchboard: ${topic}`, topic, delivery_url: url, secret },
        effect: 'write',
      },
      createdWebhook,
    );
    return created.ok ? ok(created.value.id) : created;
  },
  async remove(id) {
    const removed = await requestJson(
      session,
      { method: 'DELETE', path: `${API}/webhooks/${id}`, query: { force: true }, effect: 'idempotent' },
      createdWebhook,
      ({ code }) => (code === 'woocommerce_rest_shop_webhook_invalid_id' ? ok({ id }) : undefined),
    );
    return removed.ok ? ok() : removed;
  },
});
