import { randomUUID } from 'node:crypto';
import { signatureOf, webhookStore, type WebhookDelivery } from '../wire/store-webhooks.js';
import {
  fieldsOf,
  okResponse,
  textOf,
  textsOf,
  type WireRequest,
  type WireResponse,
} from '../wire/exchange.js';
import { badRequest, missingField, squareError } from './errors.js';

/** The webhook subscriptions of one application. Square issues the key with which it signs. */
export function applicationWebhooks(merchantId: string) {
  const store = webhookStore();
  let ids = 0;

  /** The key is in the response about a single subscription only. */
  const present = (id: string, withKey: boolean) => {
    const webhook = store.find(id);
    return webhook
      ? {
          id,
          name: 'Orders',
          enabled: webhook.isActive,
          event_types: webhook.topic.split(' '),
          notification_url: webhook.url,
          api_version: '2026-01-22',
          ...(withKey && { signature_key: webhook.secret }),
          created_at: '2026-11-21T12:00:00Z',
          updated_at: '2026-11-21T12:00:00Z',
        }
      : null;
  };
  const notFound = (id: string) =>
    squareError(404, 'NOT_FOUND', `Webhook subscription with ID ${id} not found.`);

  return {
    listed: (): WireResponse => {
      const subscriptions = store.list().map(({ id }) => present(id, false));
      return okResponse(subscriptions.length > 0 ? { subscriptions } : {});
    },
    read(id: string): WireResponse {
      const subscription = present(id, true);
      return subscription ? okResponse({ subscription }) : notFound(id);
    },
    created({ body }: WireRequest): WireResponse {
      const fields = fieldsOf(fieldsOf(body)['subscription']);
      const url = textOf(fields['notification_url']);
      if (!url.startsWith('https://'))
        return badRequest('INVALID_VALUE', 'notification_url', 'The notification URL must be HTTPS.');
      const topics = textsOf(fields['event_types']);
      if (topics.length === 0) return missingField('subscription.event_types');
      const id = `wbhk_${String(++ids).padStart(32, '0')}`;
      store.add({ id, topic: topics.join(' '), url, secret: randomUUID(), isActive: true });
      return okResponse({ subscription: present(id, true) });
    },
    deleted: (id: string): WireResponse => (store.remove(id) ? okResponse({}) : notFound(id)),
    controls: {
      list: store.list,
      disable: store.disable,
      /** Those of one change of an order. */
      deliveriesOf(orderId: string, merchant = merchantId): readonly WebhookDelivery[] {
        return store
          .list()
          .filter(({ isActive }) => isActive)
          .map(({ url, secret }) => {
            const version = store.nextDelivery();
            const body = JSON.stringify({
              merchant_id: merchant,
              type: 'order.updated',
              event_id: randomUUID(),
              created_at: '2026-11-21T12:00:00Z',
              data: {
                type: 'order_updated',
                id: orderId,
                object: { order_updated: { order_id: orderId, state: 'OPEN', version } },
              },
            });
            return {
              url,
              body,
              headers: {
                'content-type': 'application/json',
                'x-square-hmacsha256-signature': signatureOf(secret, url + body),
              },
            };
          });
      },
    },
  };
}
