import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { discordNetwork, type DiscordNetwork, type DiscordOptions } from './network.js';

export interface RunningDiscord extends DiscordNetwork, SimulatedServer {}

/** Discord on a local port. */
export async function startDiscord(options: DiscordOptions = {}): Promise<RunningDiscord> {
  const network = discordNetwork(options);
  return { ...network, ...(await startServer('social', (request) => network.respondTo(request))) };
}
