import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { shopOauth, type ShopApp, type ShopOauth } from './oauth.js';
import { shopifyStore, type ShopifyOptions, type ShopifyStore } from './store.js';

export interface RunningShopify extends ShopifyStore, SimulatedServer {
  readonly oauth: ShopOauth;
}

/** A Shopify store on a local port; its owner grants access to apps. */
export async function startShopify(
  options: ShopifyOptions & { readonly apps?: readonly ShopApp[] } = {},
): Promise<RunningShopify> {
  const { apps = [], now = () => new Date() } = options;
  const store = shopifyStore(options);
  const oauth = shopOauth({ shop: store.shop.domain, apps, now });
  const server = await startServer('store', (request) => {
    const served = oauth.serve(request);
    if (served) return served;
    const grant = oauth.grantOf(String(request.headers['x-shopify-access-token']));
    return grant ? store.respondAs(request, { ...grant, protectedData: true }) : store.respond(request);
  });
  return { ...store, ...server, oauth };
}
