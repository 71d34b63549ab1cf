import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { redditNetwork, type RedditNetwork, type RedditOptions } from './network.js';

export interface RunningReddit extends RedditNetwork, SimulatedServer {}

/** Reddit on a local port, with its upload storage. */
export async function startReddit(options: RedditOptions = {}): Promise<RunningReddit> {
  const network = redditNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  network.setOrigin(server.url);
  return { ...network, ...server };
}
