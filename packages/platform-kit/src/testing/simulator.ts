import { randomBytes } from 'node:crypto';
import type { RemoteAccount } from '@switchboard/domain/connections';
import type { Connecting } from '@switchboard/domain/ports';
import {
  defineSimulator,
  startServer,
  type SimulatedResponse,
  type Exchange,
  type ReceivedRequest,
  type RoutedRequest,
  type WireResponse,
} from '@switchboard/simulators';
import { hasKeyOnlyAt, type KeyLocation } from './key-location.js';
import { testSession, type TestSessionOptions } from './session.js';
import type { Breakage, PublishedContent, World } from './world.js';

/** The facts that only the platform's documentation, or its real server, can provide. */
interface SimulatedPlatform<Owner> extends PublishedContent {
  readonly account: RemoteAccount;
  readonly simulator: {
    /** The response for the owner of a token; null: for a token that was never issued, or for none. */
    respondAs(request: ReceivedRequest, owner: Owner | null): SimulatedResponse;
    readonly setOrigin?: (url: string) => void;
  };
  /** The owner of a token with every permission that the manifest names. */
  readonly owner: Owner;
  /** The owner of a token that only identifies the account. Omitted if tokens have no permissions. */
  readonly weakOwner?: Owner;
  /**
   * Where a password is exchanged for a token: the values that the form accepts, by connect method ID, and the
   * response to a request; null: it is another request.
   */
  readonly login?: {
    readonly values: NonNullable<World['logins']>;
    respond(request: ReceivedRequest, token: string): WireResponse | null;
  };
  /** The response to an expired token, unless it is that to one that was never issued. */
  readonly expiredTokenResponse?: WireResponse;
  /** How many posts or refunds it has ever created. */
  effects(): number;
}

interface SimulatedWorld extends World {
  /**
   * Every processed request with its response, oldest first, except those of the weak token: published
   * descriptions name no response to a missing permission.
   */
  exchanges(): readonly Exchange[];
}

/** A clock that advances a second each time it is read, so that no two records have the same time. */
export function tickingClock(): () => Date {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  return () => new Date(++seconds * 1_000);
}

const secret = () => randomBytes(20).toString('hex');

/** A simulated platform on the one host of all test doubles, with three tokens of one account. */
export async function startSimulator<Owner>(platform: SimulatedPlatform<Owner>): Promise<SimulatedWorld> {
  const [token, expiredToken, weakToken] = [secret(), secret(), secret()];
  const { simulator, owner, weakOwner = owner, expiredTokenResponse } = platform;
  const ofWeakToken = new WeakSet<ReceivedRequest>();
  let keyPlace: KeyLocation | null = null;
  let signatureFaultOf: ((request: ReceivedRequest) => string | null) | null = null;

  const server = await startServer((request) => {
    const login = platform.login?.respond(request, token);
    if (login) return login;
    if (signatureFaultOf || keyPlace) {
      const isKnown = signatureFaultOf
        ? signatureFaultOf(request) === null
        : keyPlace !== null && hasKeyOnlyAt(keyPlace, token, request);
      return simulator.respondAs(request, isKnown ? owner : null);
    }
    const inHeader = String(request.headers['authorization'] ?? '').replace(/^(Bearer|OAuth) /, '');
    // The token is a bearer token or in the URL.
    const provided = inHeader || [token, expiredToken, weakToken].find((one) => request.url.includes(one));
    if (provided === expiredToken && expiredTokenResponse) return expiredTokenResponse;
    if (provided === weakToken) {
      ofWeakToken.add(request);
      return simulator.respondAs(request, weakOwner);
    }
    return simulator.respondAs(request, provided === token ? owner : null);
  });
  simulator.setOrigin?.(server.url);

  return {
    baseUrl: server.url,
    account: platform.account,
    token,
    expiredToken,
    weakToken,
    withoutPermissions: platform.weakOwner === undefined,
    break(how: Breakage, skipRequests = 0) {
      server.faults.clear();
      const status = how === '500-before' ? 503 : 500;
      server.faults.add({ kind: how, after: skipRequests, status, retry_after: 7 });
    },
    repair: () => server.faults.clear(),
    requests: () => server.received().length,
    received: () => server.received(),
    exchanges: () => server.exchanges().filter(({ request }) => !ofWeakToken.has(request)),
    requireKeyAt: (place) => void (keyPlace = place),
    takeSignedBy: (faultOf) => void (signatureFaultOf = faultOf),
    logins: platform.login?.values,
    effects: () => platform.effects(),
    textOf: (id) => platform.textOf(id),
    parentOf: platform.parentOf?.bind(platform),
    mediaOf: platform.mediaOf?.bind(platform),
    titleOf: platform.titleOf?.bind(platform),
    cardOf: platform.cardOf?.bind(platform),
    close: () => server.close(),
  };
}

/** A platform whose every route needs the token, described by its routes alone. */
interface RoutedPlatform
  extends
    Partial<PublishedContent>,
    Omit<SimulatedPlatform<object>, 'simulator' | 'owner' | keyof PublishedContent> {
  /** The handlers by method and path, such as `'GET /v1/posts/:id'`. */
  readonly routes: Readonly<Record<string, (request: RoutedRequest<object>) => WireResponse>>;
  /** A refusal in the format of the platform: for the unknown token (401) and the unknown route (404) too. */
  readonly error: (status: number, code: string) => WireResponse;
  /** What the contract needs to know of the platform besides. */
  readonly facts?: Partial<World>;
}

/** Starts a platform from its routes. */
export async function startRoutes({ routes, error, facts, ...platform }: RoutedPlatform): Promise<World> {
  const simulator = defineSimulator<null, object>({
    state: null,
    routes: Object.fromEntries(
      Object.entries(routes).map(([pattern, handle]) => [pattern, (_state, request) => handle(request)]),
    ),
    ownerOf: () => null,
    unauthorized: error(401, 'unauthorized'),
    notFound: error(404, 'not_found'),
  });
  return { ...(await startSimulator({ textOf: () => '', ...platform, simulator, owner: {} })), ...facts };
}

/** The account as the adapter itself identifies it. */
export async function identifyAccount(
  connecting: Pick<Connecting, 'identify'>,
  options: TestSessionOptions,
): Promise<RemoteAccount> {
  const found = await connecting.identify(testSession(options));
  if (!found.ok || !found.value[0]) throw new Error('the world does not know its own account');
  return found.value[0];
}
