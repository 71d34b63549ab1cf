import { oauthServer, type OAuthApp } from '../wire/oauth-server.js';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { longLivedTokens } from '../meta/long-lived-tokens.js';
import type { FacebookPage } from './present.js';
import { userApi, type FacebookUser } from './user-api.js';

interface PageLoginsOptions {
  readonly now: () => Date;
  readonly apps: readonly OAuthApp[];
  readonly user: FacebookUser;
  readonly pages: ReadonlyMap<string, FacebookPage>;
  /** The permissions that an app may request. */
  readonly permissions: readonly string[];
}

const HOUR_SECONDS = 3_600;
export const ALL_TASKS = ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'];

/** The login of a Facebook user, and those of the pages it manages. */
export function pageLogins({ now, apps, user, pages, permissions }: PageLoginsOptions) {
  const tokens = oauthServer({
    apps,
    now,
    account: user.id,
    separator: ',',
    paths: { authorize: '/v25.0/dialog/oauth', token: '/v25.0/oauth/access_token' },
    knows: (scope) => permissions.includes(scope),
    accessSeconds: HOUR_SECONDS,
    refresh: null,
    present: ({ access_token, token_type, expires_in }) => ({ access_token, token_type, expires_in }),
  });
  const lasting = longLivedTokens({
    tokens,
    now,
    exchange: {
      path: '/v25.0/oauth/access_token',
      grantType: 'fb_exchange_token',
      tokenParameter: 'fb_exchange_token',
      withClientId: true,
    },
    renewal: null,
  });

  return {
    tokens,
    /** Consent and tokens, which require no login. */
    open: (request: WireRequest): WireResponse | null => tokens.serve(request) ?? lasting.serve(request),
    /** The responses for a user token. */
    ofUsers: userApi({
      user,
      pages,
      knownPermissions: permissions,
      tokenOf: (pageId, { permissions: scopes }) =>
        tokens.issue({ clientId: '', account: pageId, scopes }, Infinity),
    }),
    /** The user revokes the grant, which also ends the tokens of all their pages. */
    withdraw: () => [user.id, ...pages.keys()].forEach((account) => tokens.withdraw(account)),
  };
}
