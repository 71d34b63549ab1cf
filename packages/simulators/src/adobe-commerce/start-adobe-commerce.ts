import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { adobeStore, type AdobeStore, type AdobeStoreOptions } from './store.js';

export interface RunningAdobeStore extends AdobeStore, SimulatedServer {}

/** An Adobe Commerce store on a local port. */
export async function startAdobeCommerce(options: AdobeStoreOptions = {}): Promise<RunningAdobeStore> {
  const store = adobeStore(options);
  const server = await startServer('store', (request) => store.respond(request));
  store.setOrigin(server.url);
  return { ...store, ...server };
}
