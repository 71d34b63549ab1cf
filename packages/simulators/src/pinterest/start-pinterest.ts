import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { pinterestNetwork, type PinterestNetwork, type PinterestOptions } from './network.js';

export interface RunningPinterest extends PinterestNetwork, SimulatedServer {}

/** Pinterest, its consent page and the upload storage on a local port. */
export async function startPinterest(options: PinterestOptions = {}): Promise<RunningPinterest> {
  const network = pinterestNetwork(options);
  const server = await startServer('social', (request) => {
    const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
    const grant = network.oauth.grantOf(token);
    return network.respondAs(request, grant && { accountId: grant.account, scopes: grant.scopes });
  });
  network.media.setOrigin(server.url);
  return { ...network, ...server };
}
