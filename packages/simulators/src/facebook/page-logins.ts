import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { longLivedTokens } from '../meta/long-lived-tokens.js';
import type { FacebookPage } from './present.js';
import { userApi, type FacebookUser } from './user-api.js';

export interface PageLoginsOptions {
  readonly now: () => Date;
  readonly apps: readonly OAuthApp[];
  readonly user: FacebookUser;
  readonly pages: ReadonlyMap<string, FacebookPage>;
  /** Those that an app here may ask for. */
  readonly permissions: readonly string[];
}

const HOUR_SECONDS = 3_600;
export const ALL_TASKS = ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'];

/** The login of a person at Facebook, and those of the pages that it opens. */
export function pageLogins({ now, apps, user, pages, permissions }: PageLoginsOptions) {
  const tokens = codeExchange({
    apps,
    now,
    account: user.id,
    separator: ',',
    clientAuth: 'body',
    pkce: 'optional',
    paths: { authorize: '/v25.0/dialog/oauth', token: '/v25.0/oauth/access_token' },
    knows: (scope) => permissions.includes(scope),
    codeSeconds: 600,
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
    /** Consent and tokens, which take no login. */
    open: (request: WireRequest): WireResponse | null => tokens.serve(request) ?? lasting.serve(request),
    /** What a person is told with her own login. */
    ofUsers: userApi({
      users: new Map([[user.id, user]]),
      pages,
      knownPermissions: permissions,
      tokenOf: (pageId, { permissions: scopes }) =>
        tokens.issue({ clientId: '', account: pageId, scopes }, Infinity),
    }),
    /** She takes back what she allowed: that ends the logins of all her pages, too. */
    withdraw: () => [user.id, ...pages.keys()].forEach((account) => tokens.withdraw(account)),
  };
}
