import { BIGCOMMERCE_SCOPES, bigCommerceStore, type BigCommerceOptions } from '@switchboard/simulators';
import { headerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

/** A store that implements its documentation. Its clock advances a second each time it is read. */
export async function startWorld(options: BigCommerceOptions = {}) {
  let seconds = Date.parse('2026-11-22T12:00:00.000Z') / 1_000;
  const store = bigCommerceStore({ now: () => new Date(++seconds * 1_000), ...options });
  const home = `/stores/${store.hash}`;
  const world = await startSimulator({
    account: { id: store.hash, username: null, name: null, avatarUrl: null, url: null },
    simulator: store,
    owner: BIGCOMMERCE_SCOPES,
    weakOwner: ['store_v2_information_read_only'],
    effects: () => store.refunds.createdCount(),
    textOf: () => '',
  });
  return {
    ...world,
    // Handling, and gift wrapping.
    adjustments: { '110': 216, '127': 270 },
    // Read on 2026-11-23, https://developer.bigcommerce.com/docs/start/authentication#access-tokens
    // (bigcommerce/docs, e28efd5): "Pass the access token as the value of the `X-Auth-Token` header".
    keyLocations: { api_account: headerLocation('X-Auth-Token') },
    baseUrl: world.baseUrl + home,
    store,
    webhooks: {
      ...store.webhooks,
      sign: (url, _body, secret) => ({
        secret,
        delivery: { url, headers: { 'x-switchboard-secret': secret } },
      }),
      bodyIsUnsigned:
        'https://docs.bigcommerce.com/developer/docs/integrations/webhooks: "you can pass in any number of custom headers to validate webhooks", which are the same for every body.',
    },
    /** The requests, such as `GET /v2/orders`, oldest first. */
    requestedPaths: (): readonly string[] =>
      world.exchanges().map(({ request: { method, path } }) => `${method} ${path.replace(home, '')}`),
    advanceMinutes: (minutes: number) => void (seconds += minutes * 60),
    readsBeforeRefund: 1,
    refundTarget: { orderId: '131', paymentId: 'provider', currency: 'USD' },
  } satisfies ExtendedWorld;
}
