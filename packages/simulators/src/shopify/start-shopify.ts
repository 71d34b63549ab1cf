import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { shopifyStore, type ShopifyOptions, type ShopifyStore } from './store.js';

export interface RunningShopify extends ShopifyStore, SimulatedServer {}

/** A Shopify store on a port of this machine. */
export async function startShopify(options: ShopifyOptions = {}): Promise<RunningShopify> {
  const store = shopifyStore(options);
  const server = await startServer('store', (request) => store.answer(request));
  return { ...store, ...server };
}
