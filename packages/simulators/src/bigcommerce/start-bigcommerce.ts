import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { storeOauth, type StoreApp, type StoreOauth } from './oauth.js';
import { bigCommerceStore, type BigCommerceOptions, type BigCommerceStore } from './store.js';

export interface RunningBigCommerce extends BigCommerceStore, SimulatedServer {
  readonly oauth: StoreOauth;
}

/** A BigCommerce store on a local port below `/stores/{hash}`; its owner grants access to apps. */
export async function startBigCommerce(
  options: BigCommerceOptions & { readonly apps?: readonly StoreApp[] } = {},
): Promise<RunningBigCommerce> {
  const store = bigCommerceStore(options);
  const oauth = storeOauth({ storeHash: store.hash, apps: options.apps ?? [] });
  const server = await startServer('store', (request) => {
    const grant = oauth.grantOf(String(request.headers['x-auth-token']));
    return oauth.serve(request) ?? (grant ? store.respondAs(request, grant.scopes) : store.respond(request));
  });
  return { ...store, ...server, oauth };
}
