import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { xNetwork, type XNetwork, type XOptions } from './network.js';

export interface RunningX extends XNetwork, SimulatedServer {}

/** X on a local port. */
export async function startX(options: XOptions = {}): Promise<RunningX> {
  const network = xNetwork(options);
  const server = await startServer('social', (request) => {
    const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
    const grant = network.oauth.grantOf(token);
    return network.respondAs(request, grant && { accountId: grant.account, scopes: grant.scopes });
  });
  return { ...network, ...server };
}
