import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { instagramNetwork, type InstagramNetwork, type InstagramOptions } from './network.js';

export interface RunningInstagram extends InstagramNetwork, SimulatedServer {
  /** Its second host: graph.facebook.com and Facebook's consent page. */
  readonly facebook: SimulatedServer;
}

/** Instagram on two local ports, one per login: consent, tokens and API at one origin. */
export async function startInstagram(options: InstagramOptions = {}): Promise<RunningInstagram> {
  const network = instagramNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  const facebook = await startServer('social', (request) => network.ofPages.respond(request));
  const close = async () => void (await Promise.all([server.close(), facebook.close()]));
  return { ...network, ...server, facebook, close };
}
