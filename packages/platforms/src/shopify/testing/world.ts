import { shopifyStore, type ShopifyAccess, type ShopifyOptions } from '@switchboard/simulators';
import { headerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { hmacOf } from '@switchboard/platform-kit/testing/hmac-of';

export const EVERYTHING: ShopifyAccess = {
  scopes: ['read_all_orders', 'write_orders', 'read_customers', 'read_locations'],
  protectedData: true,
};
const APP_SECRET = 'shpss_the_secret_of_the_app';
const WEAK: ShopifyAccess = { scopes: [], protectedData: false };
/** So that no test has to wait until points are restored. */
const GENEROUS = { maximumAvailable: 1_000_000, restoreRate: 1_000_000 };

/** A shop as its published schema and documentation describe it, with a ledger of refunds. */
export async function startWorld(options: ShopifyOptions = {}, access: ShopifyAccess = EVERYTHING) {
  let nowMs = Date.parse('2026-11-22T12:00:00.000Z');
  const store = shopifyStore({ now: () => new Date((nowMs += 1_000)), plan: GENEROUS, ...options });
  const world = await startSimulator({
    account: {
      id: String(store.shop.id),
      username: store.shop.domain,
      name: store.shop.name,
      avatarUrl: null,
      url: `https://${store.shop.domain}/admin`,
    },
    simulator: store,
    owner: access,
    weakOwner: WEAK,
    effects: () => store.refunds.createdCount(),
    textOf: () => '',
  });
  const [newest] = store.orders;
  return {
    ...world,
    sharedAccountReason: 'Shop.id is "a globally-unique ID" (shopify.dev, GraphQL Admin API, object Shop).',
    // Read on 2026-11-23, https://shopify.dev/docs/api/admin-graphql/2027-01#authentication: "Every GraphQL
    // Admin API request carries an access token in the X-Shopify-Access-Token header".
    keyLocations: { access_token: headerLocation('X-Shopify-Access-Token') },
    // Nullable in the schema: an order that does not exist, and a refund by another client.
    omittedFields: ['data.order', 'data.order.refunds.*.note'],
    // Gateways and locations, which a refund requires.
    readsBeforeRefund: 1,
    refundTarget: newest && {
      orderId: String(newest.id),
      paymentId: String(newest.transactions[0]?.id),
      currency: newest.currency,
    },
    store,
    webhooks: {
      list: store.webhooks.list,
      deliveriesOf: (orderId) => store.webhooks.deliveriesOf(orderId, APP_SECRET),
      appSecret: APP_SECRET,
      sign: (url, body) => ({
        secret: APP_SECRET,
        delivery: {
          url,
          headers: { 'x-shopify-webhook-id': '1', 'x-shopify-hmac-sha256': hmacOf(APP_SECRET, body) },
        },
      }),
    },
    advanceHours: (hours: number) => void (nowMs += hours * 3_600_000),
  } satisfies ExtendedWorld;
}
