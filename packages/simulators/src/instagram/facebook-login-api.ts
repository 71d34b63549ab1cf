import * as graph from '../meta/graph.js';
import { ALL_TASKS, pageLogins } from '../facebook/page-logins.js';
import { presentPage, type FacebookPage } from '../facebook/present.js';
import type { OAuthApp } from '../wire/oauth-server.js';
import type { SimulatedResponse, WireRequest } from '../wire/exchange.js';
import { graphBearerOf } from '../meta/long-lived-tokens.js';
import { createRouter } from '../wire/routes.js';
import { instagramRoutes, refuseInstagram, type InstagramState } from './api.js';
import { presentAccountOfPage } from './present.js';

export const INSTAGRAM_PAGE_PERMISSIONS = [
  ...['pages_show_list', 'pages_read_engagement', 'business_management', 'instagram_basic'],
  ...['instagram_content_publish', 'instagram_manage_comments', 'instagram_manage_contents'],
  'instagram_manage_insights',
] as const;

/** The pages, of which the last one has no account. */
const PAGES = ['Bakery', 'Bookshop', 'Cinema', 'Club'].map((name, at) => ({
  id: `10000000000000${at + 1}`,
  name,
  username: name.toLowerCase(),
  followers: 100 * at,
  tasks: name === 'Cinema' ? ['ADVERTISE', 'ANALYZE'] : ALL_TASKS,
}));
const accountIdOf = (pageId: string) => `1784140000000000${pageId.at(-1)}`;

const VERSION = /^v2[0-9]\.0$/;

/**
 * graph.facebook.com: the same Instagram through a Facebook login, each account with the token of its page.
 */
export function facebookLoginApi(
  state: InstagramState,
  { now, apps }: { readonly now: () => Date; readonly apps: readonly OAuthApp[] },
) {
  const { accounts } = state;
  const shown = (page: FacebookPage): FacebookPage => {
    const account = accounts.get(accountIdOf(page.id));
    return account ? { ...page, instagram: presentAccountOfPage(account) } : page;
  };
  const pages = new Map(PAGES.map((page) => [page.id, shown(page)]));
  const user = { id: '10150000000000001', name: 'Alice', pages: [...pages.keys()], businesses: [] };
  const logins = pageLogins({ now, apps, pages, user, permissions: INSTAGRAM_PAGE_PERMISSIONS });

  const instagram = createRouter(instagramRoutes);

  /** The response for a user, a page or the account of a page. */
  function respondTo(request: WireRequest, bearer: graph.GraphBearer): SimulatedResponse {
    const { method, path, query } = request;
    const [, version = '', node = '', edge = '', more] = path.split('/');
    if (!VERSION.test(version) || node === '' || more !== undefined) return graph.unknownPath;
    const itself = pages.get(bearer.accountId);
    if (!itself) return logins.ofUsers.serve(request, bearer, node, edge);
    if (node === 'me' || node === itself.id) {
      return method === 'GET' && edge === ''
        ? graph.selectFields(presentPage(itself), query.get('fields'))
        : graph.unknownPath;
    }
    const accountId = accountIdOf(itself.id);
    if (!accounts.has(accountId)) return graph.objectNotFound(node, method);
    const owner = { ...bearer, accountId, login: 'page' } as const;
    const routed = graph.asMe(request, accountId);
    return (
      refuseInstagram(routed, owner) ?? instagram(state, routed, owner) ?? graph.objectNotFound(node, method)
    );
  }
  const ownerOf = graphBearerOf(logins.tokens);
  const respondAs = (request: WireRequest, bearer: graph.GraphBearer | null): SimulatedResponse =>
    logins.open(request) ?? (bearer ? respondTo(request, bearer) : graph.badToken);

  return {
    tokens: logins.tokens,
    withdraw: logins.withdraw,
    respondAs,
    respond: (request: WireRequest) => respondAs(request, ownerOf(request)),
  };
}
