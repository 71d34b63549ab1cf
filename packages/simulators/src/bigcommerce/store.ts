import type { Order } from './seeded-orders.js';
import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import { defineSimulator, starter } from '../wire/simulator.js';
import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { toAmount } from './amounts.js';
import { listOrders } from './list-orders.js';
import type { OAuthApp } from '../wire/oauth-server.js';
import { storeOauth } from './oauth.js';
import { capturedMinor, refundedMinor } from './order.js';
import { presentOrder, presentRefund, presentShipments } from './present-order.js';
import { presentQuote, quoteRefund } from './quote.js';
import { refundStore } from './refund-store.js';
import { rateLimit } from './rate-limit.js';
import { storeHooks } from './webhooks.js';
import { seededOrders } from './seeded-orders.js';

/** Order, transactions and information: the scopes that an app requests and a merchant grants. */
export const BIGCOMMERCE_SCOPES = [
  'store_v2_orders',
  'store_v2_transactions',
  'store_v2_information_read_only',
] as const;

export interface BigCommerceOptions {
  readonly now?: () => Date;
  /** Apps that may request a token by OAuth. */
  readonly apps?: readonly OAuthApp[];
  /** The scopes of each access token that the merchant created. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>;
  readonly settleAfterReads?: number;
  readonly keepsReason?: boolean;
  readonly takesStatusBack?: boolean;
  readonly leavesTransactions?: boolean;
  readonly boundsIncluded?: boolean;
  /** Requests per thirty seconds, for all callers together. */
  readonly quota?: number;
}

function openState({ now = () => new Date(), ...options }: BigCommerceOptions) {
  const { boundsIncluded = true, leavesTransactions = true, settleAfterReads } = options;
  const { keepsReason = true, takesStatusBack = true } = options;
  const orders: Order[] = seededOrders();
  const rules = { now, settleAfterReads, keepsReason, takesStatusBack, leavesTransactions };
  const hooks = storeHooks((title) => v3Error(422, title));
  return {
    hash: 'x1y2z3',
    now,
    orders,
    hooks,
    refunds: refundStore(orders, rules),
    boundsIncluded,
    leavesTransactions,
  };
}
type StoreState = ReturnType<typeof openState>;
interface StoreOwner {
  readonly scopes: readonly string[];
}
type StoreRequest = RoutedRequest<StoreOwner>;
type StoreRoute = Route<StoreState, StoreOwner>;

/** A scope to write includes reading; the read-only one allows no other requests. */
const needs =
  (scope: string, route: StoreRoute): StoreRoute =>
  (state, request) => {
    const { scopes } = request.owner;
    const isReader = request.method === 'GET' && scopes.includes(`${scope}_read_only`);
    if (scopes.includes(scope) || isReader) return route(state, request);
    const words = "You don't have a required scope to access the endpoint";
    return request.path.includes('/v2/') ? v2Error(403, words) : v3Error(403, words);
  };
const ofOrder =
  (route: (state: StoreState, order: Order, request: StoreRequest) => WireResponse): StoreRoute =>
  (state, request) => {
    const id = request.params['id'] ?? '';
    const order = state.orders.find((one) => String(one.id) === id);
    return order ? route(state, order, request) : v3Error(404, `Order with ID ${id} not found`);
  };
const onOrders = (route: StoreRoute) => needs('store_v2_orders', route);
type FoundRefund = ReturnType<StoreState['refunds']['read']>[number];
const presented = ({ refund, currency }: FoundRefund) => presentRefund(refund, currency);

const [V2, V3, HOOKS] = ['/stores/:hash/v2', '/stores/:hash/v3/orders', '/stores/:hash/v3/hooks'];
const routes: Routes<StoreState, StoreOwner> = {
  [`GET ${V2}/store`]: needs('store_v2_information', ({ hash }) => okResponse(informationOf(hash))),
  [`GET ${V2}/orders`]: onOrders(({ orders, boundsIncluded }, { query }) => {
    const page = listOrders(orders, query, { boundsIncluded });
    if (page === null) return v2Error(400, 'A parameter is not valid.');
    return page.length === 0 ? { status: 204 } : okResponse(page.map((order) => presentOrder(order, query)));
  }),
  [`GET ${V2}/orders/:id`]: onOrders(({ orders }, { params, query }) => {
    const order = orders.find(({ id }) => String(id) === params['id']);
    return order
      ? okResponse(presentOrder(order, query))
      : v2Error(404, 'The requested resource was not found.');
  }),
  [`GET ${V2}/orders/:id/shipments`]: onOrders(({ orders }, { params }) => {
    const order = orders.find(({ id }) => String(id) === params['id']);
    if (!order) return v2Error(404, 'The requested resource was not found.');
    const shipments = presentShipments(order);
    return shipments.length === 0 ? { status: 204 } : okResponse(shipments);
  }),
  [`GET ${HOOKS}`]: onOrders(({ hooks }) => hooks.listed()),
  [`POST ${HOOKS}`]: onOrders(({ hooks }, request) => hooks.created(request)),
  [`DELETE ${HOOKS}/:id`]: onOrders(
    ({ hooks }, { params }) => hooks.deleted(params['id'] ?? '') ?? v3Error(404, 'Hook not found'),
  ),
  [`GET ${V3}/payment_actions/refunds`]: onOrders(listRefunds),
  [`GET ${V3}/:id/transactions`]: needs('store_v2_transactions', ofOrder(listTransactions)),
  [`GET ${V3}/:id/payment_actions/refunds`]: onOrders(
    ofOrder(({ refunds }, { id }) => okResponse({ data: refunds.read([id]).map(presented), meta: {} })),
  ),
  [`POST ${V3}/:id/payment_actions/refund_quotes`]: onOrders(
    ofOrder((_, order, { body }) => {
      const quote = quoteRefund(order, body);
      if (typeof quote === 'string') return v3Error(422, quote);
      return { status: 201, json: { data: presentQuote(order, quote), meta: {} } };
    }),
  ),
  [`POST ${V3}/:id/payment_actions/refunds`]: onOrders(
    ofOrder(({ refunds }, order, { body }) => {
      const refund = refunds.create(order, body);
      if (typeof refund === 'string') return { status: 422, json: { data: [v3Error(422, refund).json] } };
      return { status: 201, json: { data: presentRefund(refund, order.currency), meta: {} } };
    }),
  ),
};

function listRefunds({ refunds }: StoreState, { query }: StoreRequest): WireResponse {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 50)];
  const requested = query.get('order_id:in')?.split(',').map(Number) ?? null;
  const found = refunds.read(requested).slice((page - 1) * limit, page * limit);
  return okResponse({ data: found.map(presented), meta: {} });
}

function listTransactions(
  { leavesTransactions }: StoreState,
  { transactions, currency, id }: Order,
): WireResponse {
  if (transactions.length === 0 || !leavesTransactions) return { status: 204 };
  const data = transactions.map(({ minor, created, ...transaction }) => ({
    ...transaction,
    order_id: String(id),
    amount: toAmount(minor, currency),
    currency,
    test: false,
    date_created: created.toISOString().replace(/\.\d+Z$/, '+00:00'),
  }));
  return okResponse({ data, meta: {} });
}

const informationOf = (hash: string) => ({
  id: hash,
  name: 'Kiln & Co',
  domain: 'kiln.example',
  secure_url: 'https://kiln.example',
  currency: 'USD',
  logo: [],
});

/** A BigCommerce store according to its documentation, without a socket: v2 orders and v3 refunds. */
export function bigCommerceStore(options: BigCommerceOptions = {}) {
  const state = openState(options);
  const { hash, now, orders, refunds } = state;
  const limit = rateLimit(options.quota ?? Infinity, now);
  const oauth = storeOauth({ storeHash: hash, apps: options.apps ?? [], now });
  const find = (id: string) => orders.find((order) => String(order.id) === id);
  const simulator = defineSimulator<StoreState, StoreOwner>({
    state,
    oauth,
    routes,
    ownerOf({ headers }) {
      const token = String(headers['x-auth-token']);
      const scopes = options.tokens?.[token] ?? oauth.grantOf(token)?.scopes;
      return scopes ? { scopes } : null;
    },
    refuses: ({ path }) => (path.startsWith(`/stores/${hash}/`) ? null : v3Error(401, 'Unauthorized')),
    unauthorized: v3Error(401, 'Unauthorized'),
    notFound: ({ path }) =>
      path.includes('/v2/')
        ? v2Error(404, 'The requested resource was not found.')
        : v3Error(404, 'The route is not found, check the URL'),
  });
  /** With a `Date` header as from every server. */
  const dated = (response: WireResponse, more = {}): WireResponse => ({
    ...response,
    headers: { ...response.headers, date: now().toUTCString(), ...more },
  });

  return {
    hash,
    refunds,
    oauth,
    webhooks: state.hooks.controls,
    respondAs: (request: WireRequest, scopes: readonly string[] | null): WireResponse =>
      dated(simulator.respondAs(request, scopes && { scopes })),
    respond(request: WireRequest): WireResponse {
      const consent = oauth.serve(request);
      if (consent) return consent;
      const { headers, exceeded } = limit.take();
      return exceeded
        ? { ...v3Error(429, 'Too many requests'), headers }
        : dated(simulator.respond(request), headers);
    },
    /** The actual state of an order in minor units, independent of responses. */
    truth(id: number) {
      const order = find(String(id));
      if (!order) throw new Error(`there is no order ${id}`);
      return {
        captured: capturedMinor(order),
        /** Includes refunds in progress. */
        refunded: refundedMinor(order),
        asCredit: refundedMinor(order, ({ provider }) => provider === 'storecredit'),
        outside: refundedMinor(order, ({ offline }) => offline),
      };
    },
    orders: (): readonly Readonly<Order>[] => orders,
    /** A shopper repeats the first order at this time. */
    add(created: Date): number {
      const [like] = seededOrders();
      if (!like) throw new Error('nothing was seeded');
      const id = Math.max(...orders.map((order) => order.id)) + 1;
      orders.push({ ...like, id, created, modified: created, transactions: [], refunds: [] });
      return id;
    },
    /** A merchant archives an order: it disappears from all lists. */
    archive(id: number): void {
      orders.splice(
        orders.findIndex((order) => order.id === id),
        1,
      );
    },
  };
}

export const startBigCommerce = starter(bigCommerceStore);

const STATUS_CODES = 'https://developer.bigcommerce.com/api-docs/getting-started/api-status-codes';

/** v2 returns a list with one error. */
const v2Error = (status: number, message: string): WireResponse => ({
  status,
  json: [{ status, message }],
});

const v3Error = (status: number, title: string): WireResponse => ({
  status,
  json: { status, title, type: STATUS_CODES, errors: {} },
});
