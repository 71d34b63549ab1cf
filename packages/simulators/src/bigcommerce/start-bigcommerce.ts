import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { bigCommerceStore, type BigCommerceOptions, type BigCommerceStore } from './store.js';

export interface RunningBigCommerce extends BigCommerceStore, SimulatedServer {}

/** A BigCommerce store on a port of this machine, below `/stores/{hash}`. */
export async function startBigCommerce(options: BigCommerceOptions = {}): Promise<RunningBigCommerce> {
  const store = bigCommerceStore(options);
  const server = await startServer('store', (request) => store.answer(request));
  return { ...store, ...server };
}
