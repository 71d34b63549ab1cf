import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { facebookNetwork, type FacebookNetwork, type FacebookOptions } from './network.js';

export interface RunningFacebook extends FacebookNetwork, SimulatedServer {}

/** Facebook on a port of this machine: consent, tokens and Graph API at one origin. */
export async function startFacebook(options: FacebookOptions = {}): Promise<RunningFacebook> {
  const network = facebookNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  return { ...network, ...server };
}
