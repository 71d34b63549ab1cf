import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { youtubeNetwork, type YouTubeNetwork, type YouTubeOptions } from './network.js';

export interface RunningYouTube extends YouTubeNetwork, SimulatedServer {}

/** YouTube on a local port. */
export async function startYouTube(options: YouTubeOptions = {}): Promise<RunningYouTube> {
  const network = youtubeNetwork(options);
  const server = await startServer('social', (request) => {
    const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
    const grant = network.oauth.grantOf(token);
    return network.respondAs(request, grant && { channelId: grant.account, scopes: grant.scopes });
  });
  return { ...network, ...server };
}
