import {
  ok,
  quotePlatform,
  refuse,
  type Result,
  type OrderWebhooks,
  type PlatformFailureCode,
  type Session,
} from '@switchboard/platform-kit';
import { isSigned } from '@switchboard/platform-kit/is-signed';
import {
  ensureSubscriptions,
  removeSubscriptions,
  type WebhookSubscriptions,
} from '@switchboard/platform-kit/webhook-subscriptions';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { requestGraphql } from './client.js';
import { manifest } from './manifest.js';
import { queries, readWebhookBody, type WireUserErrors } from './wire.js';

const TOPICS = ['ORDERS_CREATE', 'ORDERS_UPDATED'];

export const webhooks: OrderWebhooks = {
  // The secret of an app that was created in the shop's admin is not known here.
  connectMethods: ['oauth', 'own_app'],
  secret: 'app',

  register: (session, target) => ensureSubscriptions(subscriptionsOf(session, target.url), TOPICS, target),

  remove: (session, target) => removeSubscriptions(subscriptionsOf(session, target.url), target),

  read({ secret, headers, body }) {
    if (!isSigned(headers['x-shopify-hmac-sha256'], secret, [body])) return { kind: 'forged' };
    const read = readWebhookBody(body);
    const deliveryId = headers['x-shopify-webhook-id'];
    return read && deliveryId !== undefined
      ? { kind: 'order', externalId: read.id, deliveryId }
      : { kind: 'nothing' };
  },
};

/** Shopify lists those of the app alone. */
const subscriptionsOf = (session: Session, url: string): WebhookSubscriptions => ({
  async list() {
    const found = await requestGraphql(session, queries.webhooks);
    if (!found.ok) return found;
    return ok(
      found.value.webhookSubscriptions.nodes.map(({ id, topic, uri }) => ({
        id,
        topic,
        url: uri,
        isActive: true,
      })),
    );
  },
  async create(topic) {
    const made = await requestGraphql(
      session,
      queries.createWebhook,
      { topic, uri: url },
      { effect: 'write' },
    );
    if (!made.ok) return made;
    const { webhookSubscription, userErrors } = made.value.webhookSubscriptionCreate;
    const refused = refusedBy(userErrors);
    if (refused) return refused;
    return webhookSubscription ? ok(webhookSubscription.id) : unreadableResponse(manifest, 'write');
  },
  async remove(id) {
    const removed = await requestGraphql(session, queries.deleteWebhook, { id }, { effect: 'idempotent' });
    // An error means that there is none: it was just listed, and may have been removed since.
    return removed.ok ? ok() : removed;
  },
});

function refusedBy([error]: WireUserErrors): Result<never, PlatformFailureCode> | null {
  return error
    ? refuse('platform.refused', 'Shopify refused the webhook. See `platform` for its error message.', {
        platform: quotePlatform(manifest.name, error.message),
      })
    : null;
}
