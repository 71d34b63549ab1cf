import { failure } from '../../src/failure.js';
import type { OrderWebhooks, ReceivedWebhook } from '../../src/ports/index.js';
import { ok, refuseWith } from '../../src/result.js';
import { Secret } from '../../src/secret.js';

/** The webhooks of an in-memory store: a header has the secret, and the body the order and the delivery. */
export function memoryWebhooksOfStore(secretKind: OrderWebhooks['secret'] = 'chosen') {
  const registered = new Map<string, { readonly url: string; readonly secret: Secret }>();
  const switches = {
    fails: null as 'platform.unavailable' | 'platform.permission_missing' | null,
    losesResponse: false,
  };
  const calls = { register: 0, remove: 0 };
  const refused = () => switches.fails && refuseWith(failure(switches.fails, 'Not now.'));

  const ability: OrderWebhooks = {
    secret: secretKind,
    async register(_session, { url, externalIds, secret }) {
      calls.register++;
      const no = refused();
      if (no) return no;
      for (const id of externalIds) if (registered.get(id)?.url !== url) registered.delete(id);
      const [known] = [...registered].find(([, one]) => one.url === url) ?? [];
      const id = known ?? `wh_${calls.register}`;
      const used = secret ?? registered.get(id)?.secret ?? new Secret(`issued for ${id}`);
      registered.set(id, { url, secret: used });
      if (switches.losesResponse) return refuseWith(failure('platform.outcome_unknown', 'No response.'));
      return ok({ externalIds: [id], ...(secretKind === 'issued' && { secret: used }) });
    },
    async remove(_session, { url, externalIds }) {
      calls.remove++;
      const no = refused();
      if (no) return no;
      for (const [id, one] of registered)
        if (one.url === url || externalIds.includes(id)) registered.delete(id);
      return ok();
    },
    read({ secret, headers, body }: ReceivedWebhook) {
      if (headers['secret'] !== secret.reveal()) return { kind: 'forged' };
      const [externalId = '', deliveryId = ''] = new TextDecoder().decode(body).split(' ');
      return externalId === '' ? { kind: 'nothing' } : { kind: 'order', externalId, deliveryId };
    },
  };

  let deliveries = 0;
  return {
    ability,
    registered,
    switches,
    calls,
    /** The requests of one change of an order. */
    send: (externalId: string) =>
      [...registered.values()].map(({ url, secret }) => ({
        address: url.slice(url.lastIndexOf('/') + 1),
        headers: { secret: secret.reveal() },
        text: `${externalId} ${++deliveries}`,
      })),
  };
}

export type MemoryWebhooksOfStore = ReturnType<typeof memoryWebhooksOfStore>;
