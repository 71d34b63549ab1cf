import type { SimulatedResponse, WireRequest, WireResponse } from './exchange.js';
import type { Bearer, OAuthApp, OAuthServer } from './oauth-server.js';
import { createRouter, type Routes } from './routes.js';
import { startServer, type SimulatedServer } from './start-server.js';

/** One platform: its routes, and who may call them. */
interface SimulatorDefinition<State, Owner, Reply extends SimulatedResponse> {
  readonly state: State;
  readonly oauth?: Pick<OAuthServer, 'serve'>;
  /** Routes that need no token, such as URLs that are themselves the permission. */
  readonly open?: Routes<State, null, Reply | WireResponse>;
  readonly routes: Routes<State, Owner, Reply>;
  /** The owner of the request's token; null: anonymous. A response: the token is refused in its own way. */
  readonly ownerOf: (request: WireRequest) => Owner | WireResponse | null;
  readonly unauthorized: WireResponse;
  /** The request with the alias of its owner replaced, such as the account's own ID. */
  readonly rewrite?: (request: WireRequest, owner: Owner) => WireRequest;
  readonly notFound: WireResponse | ((request: WireRequest) => WireResponse);
  /** The response in place of that of any route; null: none. */
  readonly refuses?: (request: WireRequest, owner: Owner) => WireResponse | null;
}

/**
 * A platform without a socket: consent and open routes first, then the routes for the owner of the token.
 * `respondAs` is for tests that decide who the owner is.
 */
export function defineSimulator<
  State,
  Owner extends object = Bearer,
  Reply extends SimulatedResponse = WireResponse,
>(definition: SimulatorDefinition<State, Owner, Reply>) {
  const { state, oauth, unauthorized, notFound, refuses, ownerOf, rewrite } = definition;
  const openRoutes = createRouter(definition.open ?? {});
  const routes = createRouter(definition.routes);

  function respondTo(request: WireRequest, owner: () => Owner | WireResponse | null): Reply | WireResponse {
    const open = oauth?.serve(request) ?? openRoutes(state, request, null);
    if (open) return open;
    const known = owner();
    if (known === null) return unauthorized;
    if ('status' in known) return known;
    const missing = () => (typeof notFound === 'function' ? notFound(request) : notFound);
    const routed = rewrite?.(request, known) ?? request;
    return refuses?.(routed, known) ?? routes(state, routed, known) ?? missing();
  }

  return {
    respondAs: (request: WireRequest, owner: Owner | null) => respondTo(request, () => owner),
    respond: (request: WireRequest) => respondTo(request, () => ownerOf(request)),
  };
}

export interface SocialAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly followers: number;
}

/** What every simulated platform can be given. */
export interface PlatformOptions<App extends OAuthApp = OAuthApp> {
  readonly now?: () => Date;
  /** The apps that may request tokens. */
  readonly apps?: readonly App[];
}

/** What the host needs of a platform. */
interface Simulator {
  /** The response for the owner of the request's token. */
  respond(request: WireRequest): SimulatedResponse;
  /** Called with the URL of the server, for platforms whose responses contain it. */
  readonly setOrigin?: (url: string) => void;
}

/** A simulated platform on a local port. */
export async function startSimulator<Simulated extends Simulator>(
  simulator: Simulated,
): Promise<Simulated & SimulatedServer> {
  const server = await startServer((request) => simulator.respond(request));
  simulator.setOrigin?.(server.url);
  return { ...simulator, ...server };
}

/** Starts a simulator of one kind: consent, tokens, API and uploads at one origin. */
export const starter =
  <Options, Simulated extends Simulator>(simulate: (options?: Options) => Simulated) =>
  (options?: Options) =>
    startSimulator(simulate(options));
