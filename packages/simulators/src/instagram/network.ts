import type { OAuthApp } from '../wire/oauth-server.js';
import type { SimulatedResponse } from '../wire/exchange.js';
import { defineSimulator, startSimulator, type PlatformOptions } from '../wire/simulator.js';
import { containerStore } from '../meta/container-store.js';
import type { FetchFile } from '../meta/fetched-file.js';
import { asMe, badToken, objectNotFound, unknownPath } from '../meta/graph.js';
import { graphBearerOf, graphLogin } from '../meta/long-lived-tokens.js';
import { instagramRoutes, refuseInstagram, type InstagramOwner, type InstagramState } from './api.js';
import { mediaStore } from './media-store.js';
import { facebookLoginApi } from './facebook-login-api.js';

interface InstagramOptions extends PlatformOptions {
  /** The Facebook app. */
  readonly pageApps?: readonly OAuthApp[];
  readonly postsPerDay?: number;
  /** Omitted: no media can be fetched. */
  readonly fetchFile?: FetchFile;
}

export const INSTAGRAM_PERMISSIONS = [
  ...['instagram_business_basic', 'instagram_business_content_publish'],
  ...['instagram_business_manage_comments', 'instagram_business_manage_insights'],
] as const;

const ACCOUNTS = [
  { id: '17841400000000001', username: 'alice', name: 'Alice', followers: 12 },
  { id: '17841400000000002', username: 'bookshop', name: 'Bookshop', followers: 7 },
  { id: '17841400000000003', username: 'cinema', name: 'Cinema', followers: 3 },
] as const;

/** Instagram according to its documentation, without a socket. */
export function instagramNetwork(options: InstagramOptions = {}) {
  const { now = () => new Date(), apps = [], pageApps = [], fetchFile = async () => null } = options;
  const [media, containers] = [mediaStore(now), containerStore(now)];
  const { tokens, serve } = graphLogin({
    prefix: 'ig',
    permissions: INSTAGRAM_PERMISSIONS,
    apps,
    now,
    account: ACCOUNTS[0].id,
    present: ({ access_token }, { account, scopes }) => ({
      data: [{ access_token, user_id: account, permissions: scopes.join(',') }],
    }),
  });
  const state: InstagramState = {
    accounts: new Map(ACCOUNTS.map((account) => [account.id, account])),
    media,
    containers,
    fetchFile,
    postsPerDay: options.postsPerDay ?? 100,
  };

  return {
    now,
    /** The same Instagram at graph.facebook.com. */
    ofPages: facebookLoginApi(state, { now, apps: pageApps }),
    tokens,
    media,
    containers,
    limitTo: (posts: number) => void (state.postsPerDay = posts),
    ...defineSimulator<InstagramState, InstagramOwner, SimulatedResponse>({
      state,
      oauth: { serve },
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

/** Instagram on two local ports: its own, and graph.facebook.com with Facebook's consent page. */
export async function startInstagram(options?: InstagramOptions) {
  const network = instagramNetwork(options);
  const own = await startSimulator(network);
  const facebook = await startSimulator(network.ofPages);
  const close = async () => void (await Promise.all([own.close(), facebook.close()]));
  return { ...own, facebook, close };
}
