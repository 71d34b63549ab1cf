import type { FacebookUser } from '../facebook/user-api.js';
import { oauthServer, type OAuthApp } from '../wire/oauth-server.js';
import type { SimulatedResponse } from '../wire/exchange.js';
import { defineSimulator } from '../wire/simulator.js';
import { containerStore } from '../meta/container-store.js';
import type { FetchFile } from '../meta/fetched-file.js';
import { asMe, badToken, objectNotFound, unknownPath } from '../meta/graph.js';
import { graphBearerOf, longLivedTokens } from '../meta/long-lived-tokens.js';
import { instagramRoutes, refuseInstagram, type InstagramOwner, type InstagramState } from './api.js';
import { mediaStore } from './media-store.js';
import { facebookLoginApi, type InstagramPage } from './facebook-login-api.js';
import type { InstagramAccount } from './present.js';

export interface InstagramOptions {
  readonly now?: () => Date;
  readonly apps?: readonly OAuthApp[];
  readonly accounts?: readonly [InstagramAccount, ...InstagramAccount[]];
  /** The Facebook app, and the pages that own the accounts. */
  readonly pageApps?: readonly OAuthApp[];
  readonly pages?: readonly InstagramPage[];
  readonly user?: FacebookUser;
  readonly postsPerDay?: number;
  /** Omitted: no media can be fetched. */
  readonly fetchFile?: FetchFile;
}

export const INSTAGRAM_PERMISSIONS = [
  ...['instagram_business_basic', 'instagram_business_content_publish'],
  ...['instagram_business_manage_comments', 'instagram_business_manage_insights'],
] as const;

const ALICE: InstagramAccount = { id: '17841400000000001', username: 'alice', name: 'Alice', followers: 12 };
const ACCOUNTS = [
  ALICE,
  { id: '17841400000000002', username: 'bookshop', name: 'Bookshop', followers: 7 },
  { id: '17841400000000003', username: 'cinema', name: 'Cinema', followers: 3 },
] as const;
const HOUR_SECONDS = 3_600;

/** Instagram according to its documentation, without a socket. */
export function instagramNetwork(options: InstagramOptions = {}) {
  const { now = () => new Date(), apps = [], accounts = ACCOUNTS } = options;
  const fetchFile = options.fetchFile ?? (async () => null);
  const media = mediaStore(now);
  const containers = containerStore(now, 17_900_000_000_000_001n);
  const tokens = oauthServer({
    apps,
    now,
    account: accounts[0].id,
    separator: ',',
    clientAuth: 'body',
    pkce: 'optional',
    paths: { authorize: '/oauth/authorize', token: '/oauth/access_token' },
    knows: (scope) => (INSTAGRAM_PERMISSIONS as readonly string[]).includes(scope),
    codeSeconds: HOUR_SECONDS,
    accessSeconds: HOUR_SECONDS,
    refresh: null,
    present: ({ access_token }, { account, scopes }) => ({
      data: [{ access_token, user_id: account, permissions: scopes.join(',') }],
    }),
  });
  const lasting = longLivedTokens({
    tokens,
    now,
    exchange: {
      path: '/access_token',
      grantType: 'ig_exchange_token',
      tokenParameter: 'access_token',
      withClientId: false,
    },
    renewal: { path: '/refresh_access_token', grantType: 'ig_refresh_token' },
  });
  const known = new Map(accounts.map((account) => [account.id, account]));
  const state: InstagramState = {
    accounts: known,
    media,
    containers,
    fetchFile,
    postsPerDay: options.postsPerDay ?? 100,
  };

  const { pageApps = [], pages, user } = options;

  return {
    now,
    /** The same Instagram at graph.facebook.com. */
    ofPages: facebookLoginApi(state, { now, apps: pageApps, accounts: known, pages, user }),
    tokens,
    media,
    containers,
    limitTo: (posts: number) => void (state.postsPerDay = posts),
    ...defineSimulator<InstagramState, InstagramOwner, SimulatedResponse>({
      state,
      oauth: { serve: (request) => tokens.serve(request) ?? lasting.serve(request) },
      routes: instagramRoutes,
      ownerOf: graphBearerOf(tokens),
      rewrite: (request, { accountId }) => asMe(request, accountId),
      refuses: refuseInstagram,
      unauthorized: badToken,
      notFound: ({ path, method }) =>
        path.split('/').length > 4 ? unknownPath : objectNotFound(path.split('/')[2] ?? '', method),
    }),
  };
}

export type InstagramNetwork = ReturnType<typeof instagramNetwork>;
