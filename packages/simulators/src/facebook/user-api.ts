import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import {
  selectFields,
  objectNotFound,
  notPermitted,
  pageOfFields,
  unknownPath,
  type GraphBearer,
} from '../meta/graph.js';
import { presentPage, type FacebookPage } from './present.js';

/** A logged-in user, and the pages that this login lists. */
export interface FacebookUser {
  readonly id: string;
  readonly name: string;
  readonly pages: readonly string[];
  readonly businesses: readonly {
    readonly id: string;
    readonly owned: readonly string[];
    readonly client: readonly string[];
  }[];
}

interface UserWorld {
  readonly user: FacebookUser;
  readonly pages: ReadonlyMap<string, FacebookPage>;
  readonly knownPermissions: readonly string[];
  /** A page token that does not expire. */
  readonly tokenOf: (pageId: string, bearer: GraphBearer) => string;
}

/** The fields of a user's login: https://developers.facebook.com/docs/graph-api/reference/user */
export function userApi({ user, pages, knownPermissions, tokenOf }: UserWorld) {
  const shown = (id: string) => presentPage(pages.get(id) as FacebookPage);

  function accounts(bearer: GraphBearer, query: URLSearchParams): WireResponse {
    if (!bearer.permissions.includes('pages_show_list')) return okResponse({ data: [] });
    return pageOfFields(
      user.pages.map((id) => ({
        ...shown(id),
        tasks: pages.get(id)?.tasks,
        access_token: tokenOf(id, bearer),
      })),
      query,
    );
  }

  /** Without page tokens, which are requested per page. */
  function businesses(bearer: GraphBearer, query: URLSearchParams): WireResponse {
    if (!bearer.permissions.includes('business_management')) return notPermitted;
    const listOf = (ids: readonly string[]) => (ids.length > 0 ? { data: ids.map(shown) } : undefined);
    return pageOfFields(
      user.businesses.map(({ id, owned, client }) => ({
        id,
        name: 'A business',
        owned_pages: listOf(owned),
        client_pages: listOf(client),
      })),
      query,
    );
  }

  function onePage(bearer: GraphBearer, id: string, query: URLSearchParams): WireResponse {
    const ofBusinesses = user.businesses.flatMap(({ owned, client }) => [...owned, ...client]);
    if (![...user.pages, ...ofBusinesses].includes(id)) return objectNotFound(id, 'GET');
    const canAct = (pages.get(id)?.tasks ?? []).length > 0;
    const token = canAct ? tokenOf(id, bearer) : undefined;
    return selectFields({ ...shown(id), access_token: token }, query.get('fields'));
  }

  return {
    serve({ method, query }: WireRequest, bearer: GraphBearer, node: string, edge: string): WireResponse {
      const ofUser = node === 'me' || node === user.id;
      if (method !== 'GET') return unknownPath;
      if (!ofUser) return edge === '' ? onePage(bearer, node, query) : objectNotFound(node, method);
      switch (edge) {
        case '':
          return selectFields({ id: user.id, name: user.name }, query.get('fields'));
        case 'accounts':
          return accounts(bearer, query);
        case 'businesses':
          return businesses(bearer, query);
        case 'permissions':
          return okResponse({
            data: knownPermissions.map((permission) => ({
              permission,
              status: bearer.permissions.includes(permission) ? 'granted' : 'declined',
            })),
          });
        default:
          return unknownPath;
      }
    },
  };
}
