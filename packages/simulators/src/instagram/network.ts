import type { FacebookUser } from '../facebook/user-api.js';
import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { containerStore } from '../meta/container-store.js';
import type { FetchFile } from '../meta/fetched-file.js';
import { badToken, type GraphBearer } from '../meta/graph.js';
import { longLivedTokens } from '../meta/long-lived-tokens.js';
import { instagramApi } from './api.js';
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
  let postsPerDay = options.postsPerDay ?? 100;
  const tokens = codeExchange({
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
  const api = instagramApi({ accounts: known, media, containers, postsPerDay: () => postsPerDay, fetchFile });

  const { pageApps = [], pages, user } = options;

  return {
    now,
    /** The same Instagram at graph.facebook.com. */
    ofPages: facebookLoginApi(api, { now, apps: pageApps, accounts: known, pages, user }),
    tokens,
    media,
    containers,
    limitTo: (posts: number) => void (postsPerDay = posts),
    /** The response for a caller with these permissions; null: anonymous. */
    respondAs(request: WireRequest, bearer: GraphBearer | null): WireResponse | Promise<WireResponse> {
      const open = tokens.serve(request) ?? lasting.serve(request);
      return open ?? (bearer ? api.serve(request, bearer) : badToken);
    },
    /** The response for the owner of the request's token. */
    respond(request: WireRequest): WireResponse | Promise<WireResponse> {
      const inHeader = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1];
      const grant = tokens.grantOf(inHeader ?? request.query.get('access_token') ?? '');
      return this.respondAs(request, grant && { accountId: grant.account, permissions: grant.scopes });
    },
  };
}

export type InstagramNetwork = ReturnType<typeof instagramNetwork>;
