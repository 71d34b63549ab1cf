import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { facebookNetwork, type FacebookNetwork, type FacebookOptions } from './network.js';

export interface RunningFacebook extends FacebookNetwork, SimulatedServer {}

/** Facebook on a local port: consent, tokens and the Graph API at one origin. */
export async function startFacebook(options: FacebookOptions = {}): Promise<RunningFacebook> {
  const network = facebookNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  return { ...network, ...server };
}
