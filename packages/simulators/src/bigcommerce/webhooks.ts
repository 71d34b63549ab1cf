import { createHash } from 'node:crypto';
import { webhookStore, type WebhookDelivery } from '../wire/store-webhooks.js';
import { fieldsOf, okResponse, textOf, type WireRequest, type WireResponse } from '../wire/exchange.js';

/** The hooks of one store. BigCommerce sends their headers with every event. */
export function storeHooks(invalid: (title: string) => WireResponse) {
  const store = webhookStore();
  const headersOf = new Map<string, Readonly<Record<string, string>>>();
  let ids = 18_048_286;

  const present = (id: string) => {
    const hook = store.find(id);
    return hook
      ? {
          id: Number(id),
          client_id: 'm9r6keqmo7h7f23btnpwernbez1kglkl',
          created_at: 1_561_488_106,
          updated_at: 1_561_488_106,
          scope: hook.topic,
          destination: hook.url,
          is_active: hook.isActive,
          headers: headersOf.get(id) ?? null,
        }
      : null;
  };

  return {
    listed: (): WireResponse =>
      okResponse({ data: store.list().map(({ id }) => present(id)), meta: { pagination: {} } }),
    created({ body }: WireRequest): WireResponse {
      const fields = fieldsOf(body);
      const [topic, url] = [textOf(fields['scope']), textOf(fields['destination'])];
      if (!url.startsWith('https://')) return invalid('The destination must be served by HTTPS');
      if (store.list().some((one) => one.topic === topic && one.url === url))
        return invalid('Your request contains the same scope and destination as another hook');
      const id = String(++ids);
      store.add({ id, topic, url, secret: '', isActive: fields['is_active'] === true });
      headersOf.set(id, fieldsOf(fields['headers']) as Record<string, string>);
      return okResponse({ data: present(id), meta: {} });
    },
    deleted(id: string): WireResponse | null {
      const hook = present(id);
      store.remove(id);
      return hook && okResponse({ data: hook, meta: {} });
    },
    controls: {
      list: store.list,
      disable: store.disable,
      /** Those of one change of an order. */
      deliveriesOf(orderId: string): readonly WebhookDelivery[] {
        return store
          .list()
          .filter(({ isActive }) => isActive)
          .map(({ id, topic, url }) => {
            const event = {
              scope: topic,
              data: { type: 'order', id: Number(orderId) },
              created_at: 1_764_000_000 + store.nextDelivery(),
            };
            const digest = createHash('sha1').update(JSON.stringify(event)).digest('hex');
            return {
              url,
              body: JSON.stringify({ ...event, hash: digest }),
              headers: { 'content-type': 'application/json', ...headersOf.get(id) },
            };
          });
      },
    },
  };
}
