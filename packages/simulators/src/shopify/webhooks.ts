import { randomUUID } from 'node:crypto';
import { signatureOf, webhookStore, type WebhookDelivery } from '../wire/store-webhooks.js';
import { globalId } from './access.js';

/** What the app subscribed to. Shopify signs with the app's client secret. */
export function shopWebhooks(domain: string) {
  const store = webhookStore();
  let ids = 1_200_000_000_000;
  return {
    list: store.list,
    remove: store.remove,
    create({ topic, uri }: { readonly topic: string; readonly uri: string }) {
      if (!uri.startsWith('https://')) return { refused: 'Address protocol http:// is not supported' };
      if (store.has(topic, uri)) return { refused: 'Address for this topic has already been taken' };
      const id = globalId('WebhookSubscription', ++ids);
      store.add({ id, topic, url: uri });
      return { id };
    },
    /** Those of one change of an order. */
    deliveriesOf(orderId: string, clientSecret: string): readonly WebhookDelivery[] {
      return store.deliver(({ topic }, version) => {
        const updated_at = new Date(1_764_000_000_000 + version * 1000).toISOString();
        const body = JSON.stringify({ id: Number(orderId), updated_at });
        return {
          body,
          headers: {
            'x-shopify-topic': topic.toLowerCase().replace('_', '/'),
            'x-shopify-hmac-sha256': signatureOf(clientSecret, body),
            'x-shopify-shop-domain': domain,
            'x-shopify-webhook-id': randomUUID(),
          },
        };
      });
    },
  };
}

export type ShopWebhooks = ReturnType<typeof shopWebhooks>;
