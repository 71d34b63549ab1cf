import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { createRouter, type RoutedRequest } from '../wire/routes.js';
import { starter } from '../wire/simulator.js';
import { authorizePages } from './authorize.js';
import { createKeyStore, type WooKey } from './keys.js';
import { listOrders } from './list-orders.js';
import { GATEWAYS, refundedOf, totalOf, type WooRefund } from './order.js';
import { listOf, onlyFields, pageOf, readPaging, wpError } from './parameters.js';
import { presentOrder, presentRefund } from './present.js';
import { createRefund, notCreated } from './refund.js';
import { shopWebhooks } from './webhooks.js';
import { seededOrders, type WooOrder } from './seeded-orders.js';

export interface WooStoreOptions {
  readonly now?: () => Date;
  readonly orders?: number;
  /** Whether it considers itself behind TLS, which decides how keys are sent. */
  readonly tls?: boolean;
  /** Real shops post keys over TLS only. */
  readonly plainCallbacks?: boolean;
  /** The processing time of its gateways. */
  readonly gatewayMs?: number;
  /** The decimals to which it rounds every order; default those of the order's currency. */
  readonly decimals?: number;
}

const STATUSES = [
  'pending',
  'processing',
  'on-hold',
  'completed',
  'cancelled',
  'refunded',
  'failed',
  'awaiting-pickup',
];
const cannotView = (status: number, what: string) =>
  wpError(status, `woocommerce_rest_cannot_${what}`, `Sorry, you cannot ${what} resources.`);
const routeNotFound = () =>
  wpError(404, 'rest_no_route', 'No route was found matching the URL and request method.');

function openState({ now = () => new Date(), ...options }: WooStoreOptions) {
  const state = {
    now,
    orders: seededOrders(options.orders ?? 36, now(), options.decimals),
    refunds: [] as WooRefund[],
    restocked: new Map<number, number>(),
    unreadable: new Set<number>(),
    unlisted: new Set<number>(),
    home: 'http://127.0.0.1:9',
    newest: 90_000,
    older: false,
    gatewayMs: options.gatewayMs ?? 0,
    declined: null as string | null,
    notCreatedStatus: null as 400 | 500 | null,
    /** The exception of a plugin hook after the next refund. */
    failure: null as string | null,
    paidOut: 0,
  };
  return Object.assign(state, { webhooks: shopWebhooks({ now, home: () => state.home }) });
}

export type WooState = ReturnType<typeof openState>;
type WooOwner = Pick<WooKey, 'permissions' | 'manages'>;
type WooReply = WireResponse | Promise<WireResponse>;
type WooRequest = RoutedRequest<WooOwner>;

const find = ({ orders }: WooState, id: number) => orders.find((order) => order.id === id);
const orderOf = (state: WooState, { params }: WooRequest) => find(state, Number(params['id']));

function decimalsIn({ query }: WooRequest): number | null {
  const dp = query.get('dp');
  return dp === null ? null : Number(dp);
}

const newestFirst = (rows: readonly WooRefund[]) =>
  [...rows].sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime() || other.id - one.id);

function listRefunds(state: WooState, request: WooRequest, rows: readonly WooRefund[]): WireResponse {
  const { query } = request;
  const paging = readPaging(query);
  if ('status' in paging) return paging;
  const include = listOf(query, 'include');
  const found = rows.filter(({ id }) => include.length === 0 || include.includes(String(id)));
  return pageOf(newestFirst(found), paging, query, (row) =>
    presentRefund(row, find(state, row.orderId) as WooOrder, decimalsIn(request)),
  );
}

function listGateways(_state: WooState, { query }: WooRequest): WireResponse {
  const rows = GATEWAYS.map(({ id, title, supports }) => ({
    id,
    title,
    enabled: true,
    method_title: title,
    method_supports: supports,
  }));
  return { status: 200, json: rows.map((row) => onlyFields(row, query)) };
}

async function refund(state: WooState, request: WooRequest): Promise<WireResponse> {
  const order = orderOf(state, request);
  const created = await createRefund(state, order, request.body);
  if ('status' in created) return created;
  const status = state.notCreatedStatus;
  state.notCreatedStatus = null;
  return status === null
    ? { status: 201, json: presentRefund(created, order as WooOrder, decimalsIn(request)) }
    : notCreated(status);
}

const V3 = '/wp-json/wc/v3';
const routeTo = createRouter<WooState, WooOwner, WooReply>({
  [`GET ${V3}/orders`]: (state, request) =>
    listOrders(state.orders, request.query, STATUSES, decimalsIn(request), state.unreadable),
  [`GET ${V3}/refunds`]: (state, request) => {
    if (state.older) return routeNotFound();
    const all = state.orders.flatMap((order) => order.refunds);
    return listRefunds(
      state,
      request,
      all.filter(({ id }) => !state.unlisted.has(id)),
    );
  },
  [`GET ${V3}/payment_gateways`]: listGateways,
  [`GET ${V3}/webhooks`]: ({ webhooks }, request) => webhooks.listed(request),
  [`POST ${V3}/webhooks`]: ({ webhooks }, request) => webhooks.created(request),
  [`DELETE ${V3}/webhooks/:id`]: ({ webhooks }, request) =>
    webhooks.deleted(request.params['id'] ?? '', request),
  [`GET ${V3}/orders/:id`]: (state, request) => {
    const order = orderOf(state, request);
    return order
      ? { status: 200, json: onlyFields(presentOrder(order, decimalsIn(request)), request.query) }
      : wpError(404, 'woocommerce_rest_shop_order_invalid_id', 'Invalid ID.');
  },
  [`GET ${V3}/orders/:id/refunds`]: (state, request) =>
    listRefunds(state, request, orderOf(state, request)?.refunds ?? []),
  [`POST ${V3}/orders/:id/refunds`]: refund,
});

/** The response for a caller with this key; null: anonymous. */
function respondAs(state: WooState, request: WireRequest, key: WooOwner | null): WooReply {
  const { method, path, query } = request;
  if (path === '/wp-json' || path === '/wp-json/') {
    const { home } = state;
    const index = { name: 'Kiln & Co', description: '', url: home, home, namespaces: ['wp/v2', 'wc/v3'] };
    return { status: 200, json: onlyFields(index, query) };
  }
  const reads = method === 'GET';
  if (!key) return cannotView(401, reads ? 'view' : 'create');
  if (!key.permissions.includes(reads ? 'read' : 'write')) {
    const message = `The API key provided does not have ${reads ? 'read' : 'write'} permissions.`;
    return wpError(401, 'woocommerce_rest_authentication_error', message);
  }
  if (!key.manages) return cannotView(403, reads ? 'view' : 'create');
  return routeTo(state, request, key) ?? routeNotFound();
}

/**
 * A WooCommerce shop (wc/v3) as observed in 11.0.1 and documented in its code and documentation, without a
 * socket.
 */
export function wooStore(options: WooStoreOptions = {}) {
  const state = openState(options);
  const { now, orders } = state;
  const keys = createKeyStore(now);
  const pages = authorizePages({
    keys,
    origin: () => state.home,
    plainCallbacks: options.plainCallbacks ?? false,
  });

  return {
    keys,
    webhooks: state.webhooks.controls,
    orders: (): readonly WooOrder[] => orders,
    /** Another order arrives now; its first line may be sold by weight. */
    arrive({ quantity }: { readonly quantity?: number } = {}): WooOrder {
      const [order] = seededOrders(1, new Date(now().getTime() + 86_400_000), options.decimals) as [WooOrder];
      const id = (state.newest += 10);
      const items = order.items.map((item, at) =>
        at === 0 && quantity !== undefined ? { ...item, quantity } : item,
      );
      const arrived = { ...order, id, items, createdAt: now(), modifiedAt: now() };
      orders.push(arrived);
      return arrived;
    },
    change(id: number, status: string): void {
      const order = find(state, id);
      if (!order) throw new Error(`there is no order ${id}`);
      Object.assign(order, { status, modifiedAt: now() });
    },
    refunds: {
      createdCount: (): readonly WooRefund[] => state.refunds,
      /** The gateway's rejection from now on; null: it accepts. */
      decline: (reason: string | null) => void (state.declined = reason),
      /**
       * The amount refunded by gateways, in ten-thousandths, including refunds that the shop does not show.
       */
      paidOut: () => state.paidOut,
      /** For the next refund the gateway pays, and then a plugin throws this. */
      failOnceAfterPayment: (reason: string) => void (state.failure = reason),
      /** The next refund is made, and the response says that it was not. */
      setNotCreatedStatus: (status: 400 | 500) => void (state.notCreatedStatus = status),
    },
    /** An order's total and refunded amount, in ten-thousandths. */
    moneyOf: (id: number) => {
      const order = find(state, id);
      return order ? { total: totalOf(order), refunded: refundedOf(order) } : null;
    },
    restocked: (itemId: number): number => state.restocked.get(itemId) ?? 0,
    /** An order that lists omit although they count it. */
    hide: (orderId: number) => void state.unreadable.add(orderId),
    /** A refund that the list of all refunds omits, although its order contains it. */
    unlist: (refundId: number) => void state.unlisted.add(refundId),
    /** A version before 9.0, which has no list of all refunds. */
    isOlder: (is: boolean) => void (state.older = is),
    setOrigin: (url: string) => void (state.home = url),
    respondAs: (request: WireRequest, key: WooOwner | null): WooReply => respondAs(state, request, key),
    respond(request: WireRequest): WooReply {
      const page = pages(request);
      if (page) return page;
      const who = keys.behind(request, state.home, options.tls ?? false);
      return who && 'status' in who ? who : respondAs(state, request, who);
    },
  };
}

export const startWooCommerce = starter(wooStore);
export type RunningWooCommerce = Awaited<ReturnType<typeof startWooCommerce>>;
