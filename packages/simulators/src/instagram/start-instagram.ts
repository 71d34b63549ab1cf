import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { instagramNetwork, type InstagramNetwork, type InstagramOptions } from './network.js';

export interface RunningInstagram extends InstagramNetwork, SimulatedServer {}

/** Instagram on a port of this machine: consent, tokens and API at one origin. */
export async function startInstagram(options: InstagramOptions = {}): Promise<RunningInstagram> {
  const network = instagramNetwork(options);
  const server = await startServer('social', (request) => network.answer(request));
  return { ...network, ...server };
}
