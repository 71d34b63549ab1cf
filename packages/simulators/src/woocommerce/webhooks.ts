import { createHash } from 'node:crypto';
import {
  signatureOf,
  webhookStore,
  type StoredWebhook,
  type WebhookDelivery,
} from '../wire/store-webhooks.js';
import { fieldsOf, okResponse, textOf, type WireRequest, type WireResponse } from '../wire/exchange.js';
import { onlyFields, pageOf, readPaging, wpError } from './parameters.js';

const TOPIC = /^(order|product|customer|coupon)\.(created|updated|deleted|restored)$/;

function presentWebhook({ id, isActive, topic, url }: StoredWebhook, now: Date) {
  const [resource, event] = topic.split('.');
  return {
    id: Number(id),
    name: 'Webhook',
    status: isActive ? 'active' : 'disabled',
    topic,
    resource,
    event,
    delivery_url: url,
    date_created: now.toISOString().slice(0, 19),
    date_created_gmt: now.toISOString().slice(0, 19),
  };
}

export function shopWebhooks({ now, home }: { readonly now: () => Date; readonly home: () => string }) {
  const store = webhookStore();
  let ids = 140;
  const present = (webhook: StoredWebhook) => presentWebhook(webhook, now());

  return {
    listed(request: WireRequest): WireResponse {
      const paging = readPaging(request.query);
      if ('status' in paging) return paging;
      return pageOf(store.list(), paging, request.query, present);
    },
    created({ body, query }: WireRequest): WireResponse {
      const fields = fieldsOf(body);
      const topic = textOf(fields['topic']);
      if (!TOPIC.test(topic))
        return wpError(
          400,
          'woocommerce_rest_shop_webhook_invalid_topic',
          'Webhook topic is required and must be valid.',
        );
      const url = textOf(fields['delivery_url']);
      if (!/^https?:/.test(url))
        return wpError(
          400,
          'woocommerce_rest_shop_webhook_invalid_delivery_url',
          'Webhook delivery URL must be a valid URL starting with http:// or https://.',
        );
      const id = String(++ids);
      const added = store.add({ id, topic, url, secret: textOf(fields['secret']) });
      return { status: 201, json: onlyFields(present(added), query) };
    },
    deleted(id: string, { query }: WireRequest): WireResponse {
      const webhook = store.find(id);
      if (!webhook) return wpError(404, 'woocommerce_rest_shop_webhook_invalid_id', 'Invalid ID.');
      if (query.get('force') !== 'true')
        return wpError(501, 'woocommerce_rest_trash_not_supported', 'Webhooks do not support trashing.');
      store.remove(id);
      return okResponse(present(webhook));
    },
    controls: {
      list: store.list,
      disable: store.disable,
      /** Those of one change of an order. All of a webhook in one second have one delivery ID, as there. */
      deliveriesOf(orderId: string): readonly WebhookDelivery[] {
        return store.deliver(({ id, topic, secret }, version) => {
          const body = JSON.stringify({ id: Number(orderId), version });
          const [resource = '', event = ''] = topic.split('.');
          return {
            body,
            headers: {
              'x-wc-webhook-source': `${home()}/`,
              'x-wc-webhook-topic': topic,
              'x-wc-webhook-resource': resource,
              'x-wc-webhook-event': event,
              'x-wc-webhook-signature': signatureOf(secret, body),
              'x-wc-webhook-id': id,
              'x-wc-webhook-delivery-id': createHash('md5').update(`${id} one second`).digest('hex'),
            },
          };
        });
      },
      /** The test of a new address. */
      pingOf: (webhookId: string): WebhookDelivery => ({
        url: store.find(webhookId)?.url ?? '',
        body: `webhook_id=${webhookId}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    },
  };
}
