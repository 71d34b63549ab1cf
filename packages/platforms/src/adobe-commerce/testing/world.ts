import {
  adobeStore,
  ALL_RESOURCES,
  observedExchange,
  type AdobeStoreOptions,
  type ObservedExchange,
} from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';
import { identifyAccount, startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { connecting } from '../connecting.js';

/** A store that implements its description and source. */
export async function startWorld(options: AdobeStoreOptions = {}) {
  const store = adobeStore({ now: tickingClock(), ...options });
  const world = await startSimulator({
    account: { id: '', username: null, name: null, avatarUrl: null, url: null },
    simulator: store,
    owner: ALL_RESOURCES,
    weakOwner: ['Magento_Backend::store'],
    effects: () => store.refunds.createdCount(),
    textOf: () => '',
  });
  const rich = store.orderNamed('rich');
  return {
    ...world,
    // Read on 2026-11-23,
    // https://developer.adobe.com/commerce/webapi/get-started/authentication/gs-authentication-token/:
    // `Authorization: Bearer <access token>`, where the store allows access tokens as standalone bearer
    // tokens.
    keyLocations: { access_token: bearerLocation },
    // Read on 2026-11-23,
    // https://developer.adobe.com/commerce/webapi/get-started/authentication/gs-authentication-oauth: OAuth
    // 1.0a with the integration's four keys, `oauth_signature_method` HMAC-SHA256.
    signatures: { integration: ['HMAC-SHA256'] },
    account: await identifyAccount(connecting, world),
    // The order, its invoices and its credit memos.
    omitsTaxInclusion: true,
    // Rounded tax of the total, fixed product taxes, three kinds of credit, gift wrapping, and a fee.
    adjustments: {
      '000000003': 1,
      '000000004': 1,
      '000000030': 500,
      '000000031': -1000,
      '000000032': -1000,
      '000000033': -1000,
      '000000034': 300,
      '000000035': 150,
    },
    readsBeforeRefund: 3,
    refundTarget: {
      orderId: String(rich.entity_id),
      paymentId: String(store.invoicesOf(rich)[0]?.entity_id),
      currency: rich.base_currency_code,
    },
    absenceProvesNothing: true,
    store,
    /** The requests and responses, oldest first. */
    exchanges: (): readonly (ObservedExchange & { readonly query: URLSearchParams })[] =>
      world.exchanges().map((one) => ({ ...observedExchange(one), query: one.request.query })),
  } satisfies ExtendedWorld;
}
