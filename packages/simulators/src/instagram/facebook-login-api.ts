import {
  asMe,
  selectFields,
  badToken,
  objectNotFound,
  unknownPath,
  type GraphBearer,
} from '../meta/graph.js';
import { ALL_TASKS, pageLogins } from '../facebook/page-logins.js';
import { presentPage, type FacebookPage } from '../facebook/present.js';
import type { FacebookUser } from '../facebook/user-api.js';
import type { OAuthApp } from '../wire/oauth-server.js';
import type { SimulatedResponse, WireRequest } from '../wire/exchange.js';
import { graphBearerOf } from '../meta/long-lived-tokens.js';
import { createRouter } from '../wire/routes.js';
import { instagramRoutes, refuseInstagram, type InstagramState } from './api.js';
import { presentAccountOfPage, type InstagramAccount } from './present.js';

export interface InstagramPage extends Omit<FacebookPage, 'instagram'> {
  readonly accountId: string | null;
}

export const INSTAGRAM_PAGE_PERMISSIONS = [
  ...['pages_show_list', 'pages_read_engagement', 'business_management', 'instagram_basic'],
  ...['instagram_content_publish', 'instagram_manage_comments', 'instagram_manage_contents'],
  'instagram_manage_insights',
] as const;

const page = (at: number, name: string, more: Partial<InstagramPage> = {}): InstagramPage => ({
  id: `10000000000000${at}`,
  name,
  username: name.toLowerCase(),
  followers: 100 * at,
  tasks: ALL_TASKS,
  accountId: `1784140000000000${at}`,
  ...more,
});
const PAGES: readonly InstagramPage[] = [
  page(1, 'Bakery'),
  page(2, 'Bookshop'),
  page(3, 'Cinema', { tasks: ['ADVERTISE', 'ANALYZE'] }),
  page(4, 'Club', { accountId: null }),
];

interface FacebookLoginOptions {
  readonly now: () => Date;
  readonly apps: readonly OAuthApp[];
  readonly accounts: ReadonlyMap<string, InstagramAccount>;
  readonly pages?: readonly InstagramPage[] | undefined;
  readonly user?: FacebookUser | undefined;
}

const VERSION = /^v2[0-9]\.0$/;

/**
 * graph.facebook.com: the same Instagram through a Facebook login, each account with the token of its page.
 */
export function facebookLoginApi(
  state: InstagramState,
  { now, apps, accounts, pages: all = PAGES, user }: FacebookLoginOptions,
) {
  const shown = ({ accountId, ...rest }: InstagramPage): FacebookPage => {
    const account = accounts.get(accountId ?? '');
    return account ? { ...rest, instagram: presentAccountOfPage(account) } : rest;
  };
  const pages = new Map(all.map((one) => [one.id, shown(one)]));
  const accountOf = new Map(all.map((one) => [one.id, one.accountId]));
  const alice = { id: '10150000000000001', name: 'Alice', pages: [...pages.keys()], businesses: [] };
  const logins = pageLogins({
    now,
    apps,
    pages,
    user: user ?? alice,
    permissions: INSTAGRAM_PAGE_PERMISSIONS,
  });

  const instagram = createRouter(instagramRoutes);

  /** The response for a user, a page or the account of a page. */
  function respondTo(request: WireRequest, bearer: GraphBearer): SimulatedResponse {
    const { method, path, query } = request;
    const [, version = '', node = '', edge = '', more] = path.split('/');
    if (!VERSION.test(version) || node === '' || more !== undefined) return unknownPath;
    const itself = pages.get(bearer.accountId);
    if (!itself) return logins.ofUsers.serve(request, bearer, node, edge);
    if (node === 'me' || node === itself.id) {
      return method === 'GET' && edge === ''
        ? selectFields(presentPage(itself), query.get('fields'))
        : unknownPath;
    }
    const accountId = accountOf.get(itself.id) ?? null;
    if (accountId === null) return objectNotFound(node, method);
    const owner = { ...bearer, accountId, login: 'page' } as const;
    const routed = asMe(request, accountId);
    return refuseInstagram(routed, owner) ?? instagram(state, routed, owner) ?? objectNotFound(node, method);
  }
  const ownerOf = graphBearerOf(logins.tokens);
  const respondAs = (request: WireRequest, bearer: GraphBearer | null): SimulatedResponse =>
    logins.open(request) ?? (bearer ? respondTo(request, bearer) : badToken);

  return {
    tokens: logins.tokens,
    withdraw: logins.withdraw,
    respondAs,
    respond: (request: WireRequest) => respondAs(request, ownerOf(request)),
  };
}
