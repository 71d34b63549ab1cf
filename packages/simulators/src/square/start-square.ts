import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { sellerOauth, type SellerOauth, type SquareApp } from './oauth.js';
import { MERCHANT } from './seeded-data.js';
import { squareStore, type SquareOptions, type SquareStore } from './store.js';

export interface RunningSquare extends SquareStore, SimulatedServer {
  readonly oauth: SellerOauth;
}

/** A Square merchant on a local port. */
export async function startSquare(
  options: SquareOptions & { readonly apps?: readonly SquareApp[] } = {},
): Promise<RunningSquare> {
  const { apps = [], now = () => new Date() } = options;
  const store = squareStore(options);
  const oauth = sellerOauth({ merchantId: MERCHANT.id, apps, now });
  const server = await startServer('store', (request) => {
    const grant = oauth.grantOf(String(request.headers['authorization']).replace(/^Bearer /, ''));
    return oauth.serve(request) ?? (grant ? store.respondAs(request, grant.scopes) : store.respond(request));
  });
  return { ...store, ...server, oauth };
}
