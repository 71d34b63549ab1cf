import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { wooStore, type WooStore, type WooStoreOptions } from './woo-store.js';

export interface RunningWooCommerce extends WooStore, SimulatedServer {}

/** A WooCommerce shop on a local port. */
export async function startWooCommerce(options: WooStoreOptions = {}): Promise<RunningWooCommerce> {
  const store = wooStore(options);
  const server = await startServer('store', (request) => store.respond(request));
  store.setOrigin(server.url);
  return { ...store, ...server };
}
