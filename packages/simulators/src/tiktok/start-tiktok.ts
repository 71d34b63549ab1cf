import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { tiktokNetwork, type TikTokNetwork, type TikTokOptions } from './network.js';

export interface RunningTikTok extends TikTokNetwork, SimulatedServer {}

/** TikTok on a local port: consent, tokens, API and uploads at one origin. */
export async function startTikTok(options: TikTokOptions = {}): Promise<RunningTikTok> {
  const network = tiktokNetwork({ uploadOrigin: () => server.url, ...options });
  const server = await startServer('social', (request) => {
    const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
    const grant = network.oauth.grantOf(token);
    return network.respondAs(request, grant && { accountId: grant.account, scopes: grant.scopes });
  });
  return { ...network, ...server };
}
