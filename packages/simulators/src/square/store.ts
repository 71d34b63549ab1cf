import { requireScopes, type Route, type RoutedRequest, type Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { okResponse, fieldsOf, textsOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { sellerOauth } from './oauth.js';
import { badRequest, squareError } from './errors.js';
import { refundStore } from './refund-store.js';
import { createOrderSearch } from './search-orders.js';
import { MERCHANT, seededData, seededRefunds, type SeedOptions } from './seeded-data.js';
import type { MerchantData, Payment } from './model.js';
import { applicationWebhooks } from './webhooks.js';

/** The permissions of a token, by Square's names. */
export const SQUARE_PERMISSIONS = [
  'MERCHANT_PROFILE_READ',
  'ORDERS_READ',
  'PAYMENTS_READ',
  'PAYMENTS_WRITE',
  'CUSTOMERS_READ',
] as const;

export interface SquareOptions extends SeedOptions, PlatformOptions {
  /** The valid tokens with their permissions. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>;
  /**
   * The number of reads for which a card refund is pending before it completes; null: until a test settles
   * it.
   */
  readonly settlesAfterReads?: number | null;
  /** How long the eventually consistent list of payments does not show a new payment or a change. */
  readonly listLagMs?: number;
  /** Whether a used key is rejected for any difference, and not only for another payment or amount. */
  readonly strictKeys?: boolean;
}

export const SQUARE_TOKEN = 'EAAAlOngLiveTheSimulatedSquare';

function openState({ now = () => new Date(), ...options }: SquareOptions) {
  const books = seededData(options);
  const refunds = refundStore(books, now, options);
  for (const { paymentId, amount } of seededRefunds(books)) refunds.makeInStore(paymentId, amount);
  const tokens: Readonly<Record<string, readonly string[]>> = options.tokens ?? {
    [SQUARE_TOKEN]: SQUARE_PERMISSIONS,
  };
  return {
    now,
    books,
    refunds,
    tokens,
    orders: createOrderSearch(books, now),
    lagMs: options.listLagMs ?? 0,
    webhooks: applicationWebhooks(MERCHANT.id),
  };
}
type SquareState = ReturnType<typeof openState>;
interface SquareOwner {
  readonly scopes: readonly string[];
  /** Whether the token is the application's own, and not a seller's. */
  readonly isPersonal: boolean;
}
type SquareRequest = RoutedRequest<SquareOwner>;

const needs = requireScopes((permission) =>
  squareError(403, 'INSUFFICIENT_SCOPES', `The merchant has not given the application ${permission}.`),
);
const notFound = (what: string, id: string) =>
  squareError(404, 'NOT_FOUND', `${what} not found for id ${id}`);

/** Subscriptions need the token of the application: that of a seller is refused. */
const ofApplication =
  (route: Route<SquareState, SquareOwner>): Route<SquareState, SquareOwner> =>
  (state, request) =>
    request.owner.isPersonal
      ? route(state, request)
      : squareError(403, 'FORBIDDEN', 'OAuth access tokens are not supported.');

const routes: Routes<SquareState, SquareOwner> = {
  'GET /v2/merchants/:id': needs(['MERCHANT_PROFILE_READ'], (_, { params: { id = '' } }) =>
    id === 'me' || id === MERCHANT.id ? okResponse({ merchant: MERCHANT }) : notFound('Merchant', id),
  ),
  'GET /v2/webhooks/subscriptions': ofApplication(({ webhooks }) => webhooks.listed()),
  'POST /v2/webhooks/subscriptions': ofApplication(({ webhooks }, request) => webhooks.created(request)),
  'GET /v2/webhooks/subscriptions/:id': ofApplication(({ webhooks }, { params: { id = '' } }) =>
    webhooks.read(id),
  ),
  'DELETE /v2/webhooks/subscriptions/:id': ofApplication(({ webhooks }, { params: { id = '' } }) =>
    webhooks.deleted(id),
  ),
  'GET /v2/locations': needs(['MERCHANT_PROFILE_READ'], ({ books }) =>
    okResponse({ locations: books.locations }),
  ),
  'POST /v2/orders/search': needs(['ORDERS_READ'], ({ orders }, { body }) => orders.search(body)),
  'GET /v2/orders/:id': needs(['ORDERS_READ'], ({ books }, { params: { id = '' } }) => {
    const order = books.orders.find((one) => one.id === id);
    return order ? okResponse({ order }) : notFound('Order', id);
  }),
  'GET /v2/payments': needs(['PAYMENTS_READ'], ({ books, now, lagMs }, { query }) =>
    listPayments(books, query, { now: now(), lagMs }),
  ),
  'GET /v2/payments/:id': needs(['PAYMENTS_READ'], ({ books }, { params: { id = '' } }) => {
    const payment = books.payments.get(id);
    return payment ? okResponse({ payment }) : notFound('Payment', id);
  }),
  'POST /v2/refunds': needs(['PAYMENTS_WRITE'], ({ refunds }, { body }) => refunds.create(body)),
  'GET /v2/refunds/:id': needs(['PAYMENTS_READ'], ({ refunds }, { params: { id = '' } }) => refunds.read(id)),
  'POST /v2/customers/bulk-retrieve': needs(['CUSTOMERS_READ'], readCustomers),
};

function readCustomer({ customers }: SquareState['books'], id: string): unknown {
  const customer = customers.get(id);
  return customer ? { customer } : notFound('Customer', id).json;
}

function readCustomers({ books }: SquareState, { body }: SquareRequest): WireResponse {
  const ids = textsOf(fieldsOf(body)['customer_ids']);
  if (ids.length === 0) return badRequest('ARRAY_EMPTY', 'customer_ids');
  if (ids.length > 100) return badRequest('ARRAY_LENGTH_TOO_LONG', 'customer_ids');
  return okResponse({ responses: Object.fromEntries(ids.map((id) => [id, readCustomer(books, id)])) });
}

/** One Square merchant according to its published description, without a socket. */
export function squareStore(options: SquareOptions = {}) {
  const state = openState(options);
  const { now, books, refunds, tokens } = state;
  const oauth = sellerOauth({ merchantId: MERCHANT.id, apps: options.apps ?? [], now });
  const simulator = defineSimulator<SquareState, SquareOwner>({
    state,
    oauth,
    routes,
    ownerOf(request) {
      const [, token = ''] = /^Bearer (.+)$/.exec(String(request.headers['authorization'])) ?? [];
      const granted = oauth.grantOf(token)?.scopes;
      const scopes = granted ?? (Object.hasOwn(tokens, token) ? tokens[token] : undefined);
      return scopes ? { scopes, isPersonal: granted === undefined } : null;
    },
    refuses: ({ headers: { 'square-version': version } }) =>
      version === undefined || /^\d{4}-\d\d-\d\d$/.test(String(version))
        ? null
        : badRequest('INVALID_SQUARE_VERSION_FORMAT'),
    unauthorized: squareError(401, 'UNAUTHORIZED', 'This request could not be authorized.'),
    notFound: squareError(404, 'NOT_FOUND', 'Resource not found.'),
  });

  return {
    refunds,
    books,
    oauth,
    webhooks: state.webhooks.controls,
    respondAs: (request: WireRequest, scopes: readonly string[] | null) =>
      structuredCopy(
        simulator.respondAs(request, scopes && { scopes, isPersonal: scopes.includes('PAYMENTS_WRITE') }),
      ),
    respond: (request: WireRequest) => structuredCopy(simulator.respond(request)),
  };
}

export const startSquare = starter(squareStore);

/** Responses are snapshots, unaffected by later changes. */
const structuredCopy = ({ json, ...rest }: WireResponse): WireResponse => ({
  ...rest,
  json: structuredClone(json),
});

const LIST_MAX = 100;
const YEAR_MS = 365 * 24 * 60 * 60_000;

/** `ListPayments`: the payments of one location, by default the main one and the last year. */
function listPayments(
  { payments, past, locations }: MerchantData,
  query: URLSearchParams,
  { now, lagMs }: { readonly now: Date; readonly lagMs: number },
): WireResponse {
  const time = (name: string, usual: number) => {
    const provided = query.get(name);
    return provided === null ? usual : Date.parse(provided);
  };
  const [from, to] = [time('begin_time', now.getTime() - YEAR_MS), time('end_time', now.getTime())];
  const locationId = query.get('location_id') ?? locations[0]?.id;
  const requested = Number(query.get('limit') ?? LIST_MAX);
  /** A payment's state before the changes that the list does not show yet. */
  const shown = (payment: Payment): Payment | undefined =>
    [...(past.get(payment.id) ?? []), payment].findLast(
      ({ updated_at: at }) => Date.parse(at) + lagMs <= now.getTime(),
    );
  const found = [...payments.values()]
    .flatMap((payment) => shown(payment) ?? [])
    .map((payment) => ({ payment, at: Date.parse(payment.created_at) }))
    .filter(({ payment, at }) => payment.location_id === locationId && at >= from && at <= to)
    .sort((one, other) => (one.at - other.at) * (query.get('sort_order') === 'ASC' ? 1 : -1))
    .slice(0, requested > LIST_MAX ? LIST_MAX : requested);
  return okResponse(found.length > 0 ? { payments: found.map(({ payment }) => payment) } : {});
}
