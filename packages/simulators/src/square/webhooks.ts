import { randomUUID } from 'node:crypto';
import {
  signatureOf,
  webhookStore,
  type StoredWebhook,
  type WebhookDelivery,
} from '../wire/store-webhooks.js';
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
  const present = ({ id, isActive, topic, url, secret }: StoredWebhook, withKey: boolean) => ({
    id,
    name: 'Orders',
    enabled: isActive,
    event_types: topic.split(' '),
    notification_url: url,
    api_version: '2026-01-22',
    ...(withKey && { signature_key: secret }),
    created_at: '2026-11-21T12:00:00Z',
    updated_at: '2026-11-21T12:00:00Z',
  });
  const notFound = (id: string) =>
    squareError(404, 'NOT_FOUND', `Webhook subscription with ID ${id} not found.`);

  return {
    listed: (): WireResponse => {
      const subscriptions = store.list().map((webhook) => present(webhook, false));
      return okResponse(subscriptions.length > 0 ? { subscriptions } : {});
    },
    read(id: string): WireResponse {
      const webhook = store.find(id);
      return webhook ? okResponse({ subscription: present(webhook, true) }) : notFound(id);
    },
    created({ body }: WireRequest): WireResponse {
      const fields = fieldsOf(fieldsOf(body)['subscription']);
      const url = textOf(fields['notification_url']);
      if (!url.startsWith('https://'))
        return badRequest('INVALID_VALUE', 'notification_url', 'The notification URL must be HTTPS.');
      const topics = textsOf(fields['event_types']);
      if (topics.length === 0) return missingField('subscription.event_types');
      const id = `wbhk_${String(++ids).padStart(32, '0')}`;
      const added = store.add({ id, topic: topics.join(' '), url, secret: randomUUID() });
      return okResponse({ subscription: present(added, true) });
    },
    deleted: (id: string): WireResponse => (store.remove(id) ? okResponse({}) : notFound(id)),
    controls: {
      list: store.list,
      disable: store.disable,
      /** Those of one change of an order. */
      deliveriesOf(orderId: string, merchant = merchantId): readonly WebhookDelivery[] {
        return store.deliver(({ url, secret }, version) => {
          const object = { order_updated: { order_id: orderId, state: 'OPEN', version } };
          const body = JSON.stringify({
            merchant_id: merchant,
            type: 'order.updated',
            event_id: randomUUID(),
            created_at: '2026-11-21T12:00:00Z',
            data: { type: 'order_updated', id: orderId, object },
          });
          return { body, headers: { 'x-square-hmacsha256-signature': signatureOf(secret, url + body) } };
        });
      },
    },
  };
}
