import { oauthServer, type OAuthServer, type OAuthServerOptions } from '../wire/oauth-server.js';
import { graphRefusal, type GraphBearer } from './graph.js';
import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';

export interface LongLivedTokenOptions {
  /** The consent, and the resulting short-lived tokens of one hour. */
  readonly tokens: OAuthServer;
  readonly now: () => Date;
  /**
   * The endpoint that exchanges a short-lived token for one of sixty days, and the app credentials that it
   * requires.
   */
  readonly exchange: {
    readonly path: string;
    readonly grantType: string;
    readonly tokenParameter: string;
    readonly withClientId: boolean;
  };
  /** The endpoint that renews a sixty-day token after one day; null when there is none. */
  readonly renewal: { readonly path: string; readonly grantType: string } | null;
}

const DAY_SECONDS = 86_400;
const LIFE_SECONDS = 60 * DAY_SECONDS;

/** The owner of a request's token, as Graph names it. */
export const graphBearerOf =
  (tokens: OAuthServer) =>
  (request: WireRequest): GraphBearer | null => {
    const grant = tokens.bearerOf(request);
    return grant && { accountId: grant.account, permissions: grant.scopes };
  };

const graphError = (message: string, code: number) => graphRefusal({ message, code });

/** Sixty-day tokens in place of refresh tokens, as documented by Facebook, Instagram and Threads. */
export function longLivedTokens({ tokens, now, exchange, renewal }: LongLivedTokenOptions) {
  const madeAtMs = new Map<string, number>();

  function longLived(provided: string): WireResponse {
    const grant = tokens.grantOf(provided);
    if (!grant) return graphError('Error validating access token: The session is invalid.', 190);
    const access = tokens.issue(grant, LIFE_SECONDS);
    madeAtMs.set(access, now().getTime());
    return okResponse({ access_token: access, token_type: 'bearer', expires_in: LIFE_SECONDS });
  }

  function exchanged({ query }: WireRequest): WireResponse {
    const provided = query.get(exchange.tokenParameter) ?? '';
    const grant = tokens.grantOf(provided);
    const clientId = exchange.withClientId ? (query.get('client_id') ?? '') : (grant?.clientId ?? '');
    if (!tokens.appOf(clientId, query.get('client_secret') ?? '')) {
      return graphError('Error validating client secret.', 1);
    }
    return longLived(provided);
  }

  function renewed({ query }: WireRequest): WireResponse {
    const provided = query.get('access_token') ?? '';
    const ageMs = now().getTime() - (madeAtMs.get(provided) ?? now().getTime());
    if (ageMs < DAY_SECONDS * 1_000) return graphError('The access token is too young to be refreshed.', 10);
    return longLived(provided);
  }

  return {
    serve(request: WireRequest): WireResponse | null {
      if (request.method !== 'GET') return null;
      const grantType = request.query.get('grant_type');
      if (request.path === exchange.path && grantType === exchange.grantType) return exchanged(request);
      if (request.path === renewal?.path && grantType === renewal.grantType) return renewed(request);
      return null;
    },
  };
}

const HOUR_SECONDS = 3_600;

/** The login of Instagram and Threads, whose grant types differ in their prefix. */
export function graphLogin({
  prefix,
  permissions,
  ...options
}: Pick<OAuthServerOptions, 'apps' | 'now' | 'account' | 'present'> & {
  readonly prefix: 'ig' | 'th';
  readonly permissions: readonly string[];
}) {
  const tokens = oauthServer({
    ...options,
    separator: ',',
    paths: { authorize: '/oauth/authorize', token: '/oauth/access_token' },
    knows: (scope) => permissions.includes(scope),
    codeSeconds: HOUR_SECONDS,
    accessSeconds: HOUR_SECONDS,
    refresh: null,
  });
  const lasting = longLivedTokens({
    tokens,
    now: options.now,
    exchange: {
      path: '/access_token',
      grantType: `${prefix}_exchange_token`,
      tokenParameter: 'access_token',
      withClientId: false,
    },
    renewal: { path: '/refresh_access_token', grantType: `${prefix}_refresh_token` },
  });
  const serve = (request: WireRequest) => tokens.serve(request) ?? lasting.serve(request);
  return { tokens, serve };
}
