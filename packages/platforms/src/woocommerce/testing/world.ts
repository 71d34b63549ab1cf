import { wooStore, type WooKey, type WooStoreOptions } from '@switchboard/simulators';
import { basicPasswordLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { hmacOf } from '@switchboard/platform-kit/testing/hmac-of';

const manager = { permissions: 'read_write', manages: true } as const;

/** A shop as observed and documented, with a ledger of refunds. */
export async function startWorld(options: Pick<WooStoreOptions, 'decimals'> = {}) {
  let permissions: WooKey['permissions'] = 'read_write';
  const store = wooStore({ now: tickingClock(), orders: 48, ...options });
  const owner = {
    ...manager,
    get permissions() {
      return permissions;
    },
  };
  const world = await startSimulator({
    account: { id: '', username: null, name: null, avatarUrl: null, url: null },
    simulator: store,
    owner,
    weakOwner: { ...manager, manages: false },
    effects: () => store.refunds.createdCount().length,
    textOf: () => '',
  });
  const account = { ...world.account, id: new URL(world.baseUrl).host };
  return {
    ...world,
    // Read on 2026-11-23, https://woocommerce.github.io/woocommerce-rest-api-docs/#authentication-over-https:
    // Basic, the consumer key as the user name and the consumer secret as the password.
    keyLocations: { api_keys: basicPasswordLocation },
    // Read on 2026-11-23, https://woocommerce.github.io/woocommerce-rest-api-docs/#authentication-over-http:
    // one-legged OAuth 1.0a, "HMAC-SHA1 or HMAC-SHA256 are the only accepted hash algorithms".
    signatures: { api_keys: ['HMAC-SHA1', 'HMAC-SHA256'] },
    account,
    /** The fee that makes the total a whole number, which is in ten-thousandths, when all else is rounded together. */
    adjustments: Object.fromEntries(
      store.orders().flatMap(({ id, items, decimals }) => {
        const fees = items
          .filter(({ kind }) => kind === 'fee_lines')
          .reduce((sum, { total }) => sum + total, 0);
        const minor = Math.ceil(fees / 10 ** (4 - decimals) - 0.5);
        return minor === 0 ? [] : [[String(id), minor]];
      }),
    ),
    store,
    webhooks: {
      ...store.webhooks,
      sign: (url, body, secret) => ({
        secret,
        delivery: {
          url,
          headers: {
            'x-wc-webhook-resource': 'order',
            'x-wc-webhook-delivery-id': '1',
            'x-wc-webhook-signature': hmacOf(secret, body),
          },
        },
      }),
    },
    readsBeforeRefund: 1,
    /** Whether its keys are read-only from now on. */
    reads: (only: boolean) => void (permissions = only ? 'read' : 'read_write'),
  } satisfies ExtendedWorld;
}
