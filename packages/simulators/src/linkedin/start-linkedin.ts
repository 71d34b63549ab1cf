import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { linkedInNetwork, type LinkedInNetwork, type LinkedInOptions } from './network.js';

export interface RunningLinkedIn extends LinkedInNetwork, SimulatedServer {}

/** LinkedIn on a local port: consent, tokens, API and uploads at one origin. */
export async function startLinkedIn(options: LinkedInOptions = {}): Promise<RunningLinkedIn> {
  const network = linkedInNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  network.uploads.setOrigin(server.url);
  return { ...network, ...server };
}
