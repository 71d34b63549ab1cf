import type { SimulatedResponse, WireRequest, WireResponse } from './exchange.js';

/** A request at a route: with the values of its `:name` segments and the owner of its token. */
export interface RoutedRequest<Owner> extends WireRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly owner: Owner;
}

export type Route<State, Owner, Reply extends SimulatedResponse = WireResponse> = (
  state: State,
  request: RoutedRequest<Owner>,
) => Reply;

/**
 * Handlers by method and path (`'DELETE /2/tweets/:id'`), in order of precedence. A query in the pattern
 * (`'POST /images?action=upload'`) must be part of the request's query.
 */
export type Routes<State, Owner, Reply extends SimulatedResponse = WireResponse> = Readonly<
  Record<string, Route<State, Owner, Reply>>
>;

/** Finds the handler of a request and calls it; null: no route matches. */
export function createRouter<State, Owner, Reply extends SimulatedResponse>(
  routes: Routes<State, Owner, Reply>,
) {
  const compiled = Object.entries(routes).map(([pattern, handle]) => {
    const [place = '', query = ''] = pattern.split('?');
    const escaped = place.replace(/[.@$]/g, '\\$&').replace(/:(\w+)/g, '(?<$1>[^/]+)');
    return { path: new RegExp(`^${escaped}$`), query: [...new URLSearchParams(query)], handle };
  });
  return (state: State, request: WireRequest, owner: Owner): Reply | null => {
    for (const { path, query, handle } of compiled) {
      const match = path.exec(`${request.method} ${request.path}`);
      if (!match || !query.every(([name, value]) => request.query.get(name) === value)) continue;
      const params = Object.fromEntries(
        Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
      );
      return handle(state, { ...request, params, owner });
    }
    return null;
  };
}

/** Restricts routes to tokens with all of the named scopes. */
export const requireScopes =
  (refused: (missing: string) => WireResponse) =>
  <State, Owner extends { readonly scopes: readonly string[] }, Reply extends SimulatedResponse>(
    scopes: readonly string[],
    route: Route<State, Owner, Reply>,
  ): Route<State, Owner, Reply | WireResponse> =>
  (state, request) => {
    const missing = scopes.find((scope) => !request.owner.scopes.includes(scope));
    return missing === undefined ? route(state, request) : refused(missing);
  };

/** The same restriction for all routes of a table. */
export const mapRoutes = <State, Owner, Reply extends SimulatedResponse>(
  routes: Routes<State, Owner, Reply>,
  change: (route: Route<State, Owner, Reply>) => Route<State, Owner, Reply>,
): Routes<State, Owner, Reply> =>
  Object.fromEntries(Object.entries(routes).map(([pattern, route]) => [pattern, change(route)]));
