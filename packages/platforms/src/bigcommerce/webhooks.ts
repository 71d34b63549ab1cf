import { ok, type OrderWebhooks, type Session } from '@switchboard/platform-kit';
import { isSameText } from '@switchboard/platform-kit/is-signed';
import {
  ensureSubscriptions,
  removeSubscriptions,
  type WebhookSubscriptions,
} from '@switchboard/platform-kit/webhook-subscriptions';
import { readWebhookBody, requestJson, webhookAnswer, webhookList, withEmptyBodyAs } from './wire.js';

const TOPICS = ['store/order/created', 'store/order/updated'];
const PAGE_SIZE = 250;
/** A header of our own, which the store sends with every webhook. */
const SECRET_HEADER = 'x-switchboard-secret';

export const webhooks: OrderWebhooks = {
  secret: 'chosen',

  register(session, target) {
    const store = subscriptionsOf(session, target.url, target.secret?.reveal() ?? '');
    return ensureSubscriptions(store, TOPICS, target);
  },

  remove: (session, target) => removeSubscriptions(subscriptionsOf(session, target.url, ''), target),

  read({ secret, headers, body }) {
    if (!isSameText(headers[SECRET_HEADER], secret.reveal())) return { kind: 'forged' };
    const event = readWebhookBody(body);
    return event ? { kind: 'order', externalId: event.data.id, deliveryId: event.hash } : { kind: 'nothing' };
  },
};

/** BigCommerce lists those of the token's own app or API account. */
const subscriptionsOf = (session: Session, url: string, secret: string): WebhookSubscriptions => ({
  async list() {
    const listed = await requestJson(
      withEmptyBodyAs(session, { data: [] }),
      { path: '/v3/hooks', query: { limit: PAGE_SIZE } },
      webhookList,
    );
    if (!listed.ok) return listed;
    return ok(
      listed.value.data.map(({ id, scope, destination, is_active }) => ({
        id,
        topic: scope,
        url: destination,
        isActive: is_active,
      })),
    );
  },
  async create(topic) {
    const created = await requestJson(
      session,
      {
        method: 'POST',
        path: '/v3/hooks',
        json: { scope: topic, destination: url, is_active: true, headers: { [SECRET_HEADER]: secret } },
        effect: 'write',
      },
      webhookAnswer,
    );
    return created.ok ? ok(created.value.data.id) : created;
  },
  async remove(id) {
    const removed = await requestJson(
      withEmptyBodyAs(session, { data: { id } }),
      { method: 'DELETE', path: `/v3/hooks/${id}`, effect: 'idempotent' },
      webhookAnswer,
      (_words, { status }) => (status === 404 ? ok({ data: { id } }) : undefined),
    );
    return removed.ok ? ok() : removed;
  },
});
