import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { threadsNetwork, type ThreadsNetwork, type ThreadsOptions } from './network.js';

export interface RunningThreads extends ThreadsNetwork, SimulatedServer {}

/** Threads on a local port: consent, tokens and Graph API at one origin. */
export async function startThreads(options: ThreadsOptions = {}): Promise<RunningThreads> {
  const network = threadsNetwork(options);
  const server = await startServer('social', (request) => network.respond(request));
  return { ...network, ...server };
}
