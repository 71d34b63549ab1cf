import {
  adobeStore,
  ALL_RESOURCES,
  type AdobeStore,
  type AdobeStoreOptions,
  type ObservedExchange,
  type WireRequest,
} from '@switchboard/simulators';
import { bearerLocation } from '../../kit/testing/key-location.js';
import { startSimulator, type SimulatedResponse } from '../../kit/testing/simulator.js';
import { testSession } from '../../kit/testing/session.js';
import type { World } from '../../kit/testing/world.js';
import { connecting } from '../connecting.js';

export interface AdobeWorld extends World {
  readonly store: AdobeStore;
  /** The requests and responses, oldest first. */
  exchanges(): readonly (ObservedExchange & { readonly query: URLSearchParams })[];
}

/**
 * A store that implements its description and source, whose clock advances a second each time it is read.
 */
export async function startWorld(options: AdobeStoreOptions = {}): Promise<AdobeWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const store = adobeStore({ now: () => new Date(++seconds * 1_000), ...options });
  const seen: (ObservedExchange & { readonly query: URLSearchParams })[] = [];
  const requestAs = (request: WireRequest, resources: readonly string[]) =>
    store.respondAs(request, resources) as SimulatedResponse;
  const unauthorized = {
    status: 401,
    json: {
      message: "The consumer isn't authorized to access %resources.",
      parameters: { resources: 'Magento_Sales::actions_view' },
    },
  };

  const world = await startSimulator({
    account: { id: '', username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: unauthorized,
    unknownTokenResponse: unauthorized,
    respondToWeakToken(request) {
      const response = requestAs(request, ['Magento_Backend::store']);
      return response.status === 401 ? response : null;
    },
    respond(request) {
      const response = requestAs(request, ALL_RESOURCES);
      const { method, path, query, body: sent } = request;
      seen.push({ method, path, query, sent, status: response.status, answered: response.json });
      return response;
    },
    effects: () => store.refunds.createdCount(),
    textOf: () => '',
  });
  store.setOrigin(world.baseUrl);
  const found = await connecting.identify(testSession(world));
  if (!found.ok || !found.value[0]) throw new Error('the world does not know its own account');
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
    account: found.value[0],
    // The order, its invoices and its credit memos.
    readsBeforeRefund: 3,
    refundTarget: {
      orderId: String(rich.entity_id),
      paymentId: String(store.invoicesOf(rich)[0]?.entity_id),
      currency: rich.base_currency_code,
    },
    absenceProvesNothing: true,
    store,
    exchanges: () => seen,
  };
}
