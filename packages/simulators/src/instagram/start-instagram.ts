import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { instagramNetwork, type InstagramNetwork, type InstagramOptions } from './network.js';

export interface RunningInstagram extends InstagramNetwork, SimulatedServer {
  /** The second of its hosts: graph.facebook.com and the consent of Facebook. */
  readonly facebook: SimulatedServer;
}

/** Instagram on two ports of this machine, one for each of its logins: consent, tokens and API at one origin. */
export async function startInstagram(options: InstagramOptions = {}): Promise<RunningInstagram> {
  const network = instagramNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  const facebook = await startServer('social', (request) => network.ofPages.respond(request));
  const close = async () => void (await Promise.all([server.close(), facebook.close()]));
  return { ...network, ...server, facebook, close };
}
