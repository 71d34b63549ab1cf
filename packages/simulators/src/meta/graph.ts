import { fieldsOf, type SimulatedResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { Route } from '../wire/routes.js';

/** The caller of the Graph API, and its permissions. */
export interface GraphBearer {
  readonly accountId: string;
  readonly permissions: readonly string[];
}

interface GraphRefusalOptions {
  readonly message: string;
  readonly code: number;
  readonly subcode?: number;
  readonly forPeople?: string;
  readonly isTransient?: boolean;
  readonly type?: string;
  readonly status?: number;
}

/** https://developers.facebook.com/docs/graph-api/guides/error-handling */
export const graphRefusal = (refusal: GraphRefusalOptions): WireResponse => ({
  status: refusal.status ?? 400,
  json: {
    error: {
      message: refusal.message,
      type: refusal.type ?? 'OAuthException',
      code: refusal.code,
      ...(refusal.subcode !== undefined && { error_subcode: refusal.subcode }),
      is_transient: refusal.isTransient ?? false,
      ...(refusal.forPeople !== undefined && {
        error_user_title: 'This did not work',
        error_user_msg: refusal.forPeople,
      }),
      fbtrace_id: 'A1b2C3d4E5f6',
    },
  },
});

export const badToken = graphRefusal({
  message: 'Invalid OAuth access token - Cannot parse access token',
  code: 190,
});

export const expiredToken = graphRefusal({
  message: 'Error validating access token: Session has expired on Friday, 20-Nov-26 10:00:00 PST.',
  code: 190,
  subcode: 463,
});

export const notPermitted = graphRefusal({
  message: '(#10) Application does not have permission for this action',
  code: 10,
  status: 403,
});

export const limitReached = graphRefusal({
  message: 'Application request limit reached',
  code: 9,
  subcode: 2_207_042,
  forPeople: 'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
});

export const unknownPath = graphRefusal({ message: 'Unknown path components', code: 2500 });

export const badParameter = (message: string): WireResponse =>
  graphRefusal({ message: `(#100) ${message}`, code: 100 });

/** For missing objects, and for those that this login may not see. */
export const objectNotFound = (id: string, method: string): WireResponse =>
  graphRefusal({
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    type: 'GraphMethodException',
    code: 100,
    subcode: 33,
  });

/**
 * Returns the requested fields and always the ID. An unknown field is an error; nested field selections
 * return the whole object.
 */
export function selectFields(
  object: Readonly<Record<string, unknown>>,
  requested: string | null,
): WireResponse {
  const names = ['id', ...parseTopLevelFields(requested ?? '')];
  const unknown = names.find((name) => !(name in object));
  if (unknown !== undefined) return badParameter(`Tried accessing nonexisting field (${unknown})`);
  const picked = names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]);
  return { status: 200, json: Object.fromEntries(picked) };
}

/** The names of `id,owned_pages.limit(100){id,name}`, without the contents of braces. */
function parseTopLevelFields(requested: string): readonly string[] {
  let depth = 0;
  const flat = [...requested].filter((sign) => {
    if (sign === '{' || sign === '(') depth++;
    const isTop = depth === 0;
    if (sign === '}' || sign === ')') depth--;
    return isTop;
  });
  return flat
    .join('')
    .split(',')
    .map((name) => name.split('.')[0] ?? '')
    .filter((name) => name !== '');
}

/** A page of a list, with the last position as the cursor. */
function pageOf(rows: readonly unknown[], query: URLSearchParams): WireResponse {
  const from = Number(query.get('after') ?? 0);
  const limit = Math.min(100, Number(query.get('limit') ?? 25));
  const data = rows.slice(from, from + limit);
  const cursors = { before: String(from), after: String(from + data.length) };
  return { status: 200, json: { data, ...(data.length > 0 && { paging: { cursors } }) } };
}

/** A page of objects with the requested fields, or the error of the first one. */
export function pageOfFields(
  rows: readonly Readonly<Record<string, unknown>>[],
  query: URLSearchParams,
): WireResponse {
  const read = rows.map((row) => selectFields(row, query.get('fields')));
  const shown = read.map(({ json }) => json);
  return read.find(({ status }) => status !== 200) ?? pageOf(shown, query);
}

/** Graph's time format: without a colon in the offset. */
export const presentTime = (at: Date) => at.toISOString().replace(/\.\d+Z$/, '+0000');

/** https://developers.facebook.com/docs/graph-api/reference/insights: a metric with its value. */
export const presentInsight = (
  id: string,
  name: string,
  value: unknown,
  description: string,
  period = 'lifetime',
) => ({
  name,
  period,
  values: [{ value }],
  title: name,
  description,
  id: `${id}/insights/${name}/${period}`,
});

/** The request with `me` in place of the account's own ID. */
export const asMe = <Request extends WireRequest>(request: Request, accountId: string): Request => ({
  ...request,
  path: request.path.replace(new RegExp(`^(/[^/]+)/${accountId}(?=/|$)`), '$1/me'),
});

/** Restricts routes to tokens with a permission. */
export const needsPermission =
  <State, Reply extends SimulatedResponse>(
    permission: string,
    route: Route<State, GraphBearer, Reply>,
  ): Route<State, GraphBearer, Reply | WireResponse> =>
  (state, request) =>
    request.owner.permissions.includes(permission) ? route(state, request) : notPermitted;

/** Graph reads parameters from the query and from the body. */
export const parametersOf = ({ query, body }: WireRequest): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(query),
  ...Object.fromEntries(
    Object.entries(fieldsOf(body)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ),
});
