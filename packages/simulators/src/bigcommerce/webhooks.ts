import { createHash } from 'node:crypto';
import { webhookStore, type StoredWebhook, type WebhookDelivery } from '../wire/store-webhooks.js';
import { fieldsOf, okResponse, textOf, type WireRequest, type WireResponse } from '../wire/exchange.js';

/** The hooks of one store. BigCommerce sends their headers with every event. */
export function storeHooks(invalid: (title: string) => WireResponse) {
  const store = webhookStore();
  let ids = 18_048_286;

  const present = ({ id, topic, url, isActive, headers }: StoredWebhook) => ({
    id: Number(id),
    client_id: 'm9r6keqmo7h7f23btnpwernbez1kglkl',
    created_at: 1_561_488_106,
    updated_at: 1_561_488_106,
    scope: topic,
    destination: url,
    is_active: isActive,
    headers,
  });

  return {
    listed: (): WireResponse => okResponse({ data: store.list().map(present), meta: { pagination: {} } }),
    created({ body }: WireRequest): WireResponse {
      const fields = fieldsOf(body);
      const [topic, url] = [textOf(fields['scope']), textOf(fields['destination'])];
      if (!url.startsWith('https://')) return invalid('The destination must be served by HTTPS');
      if (store.has(topic, url))
        return invalid('Your request contains the same scope and destination as another hook');
      const id = String(++ids);
      const headers = fieldsOf(fields['headers']) as Record<string, string>;
      const hook = store.add({ id, topic, url, headers, isActive: fields['is_active'] === true });
      return okResponse({ data: present(hook), meta: {} });
    },
    deleted(id: string): WireResponse | null {
      const hook = store.remove(id);
      return hook && okResponse({ data: present(hook), meta: {} });
    },
    controls: {
      list: store.list,
      disable: store.disable,
      /** Those of one change of an order. */
      deliveriesOf(orderId: string): readonly WebhookDelivery[] {
        return store.deliver(({ topic, headers }, version) => {
          const data = { type: 'order', id: Number(orderId) };
          const event = { scope: topic, data, created_at: 1_764_000_000 + version };
          const hash = createHash('sha1').update(JSON.stringify(event)).digest('hex');
          return { body: JSON.stringify({ ...event, hash }), headers };
        });
      },
    },
  };
}
