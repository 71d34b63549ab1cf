import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { authorizePages } from './authorize.js';
import { createKeyStore, type WooKey } from './keys.js';
import { listOrders } from './list-orders.js';
import { refundedOf, totalOf, type WooOrder, type WooRefund } from './order.js';
import { listOf, onlyFields, pageOf, readPaging, wpError } from './parameters.js';
import { METHODS, presentOrder, presentRefund, type PresentOptions } from './present.js';
import { createRefund, notCreated, type Gateway } from './refund.js';
import { postJson } from './post-json.js';
import { seededOrders } from './seeded-orders.js';

export interface WooStoreOptions {
  readonly now?: () => Date;
  readonly orders?: number;
  /** Whether it considers itself behind TLS, which decides how keys are sent. */
  readonly tls?: boolean;
  /** The offset of the shop's time zone from GMT. */
  readonly siteOffsetMinutes?: number;
  /** Real shops post keys over TLS only. */
  readonly plainCallbacks?: boolean;
  readonly gateways?: readonly Gateway[];
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
const GATEWAYS: readonly Gateway[] = [
  { id: 'stripe', title: 'Card', supports: ['products', 'refunds'] },
  { id: 'bacs', title: 'Direct bank transfer', supports: ['products'] },
];

const cannotView = (status: number, what: string) =>
  wpError(status, `woocommerce_rest_cannot_${what}`, `Sorry, you cannot ${what} resources.`);
const routeNotFound = () =>
  wpError(404, 'rest_no_route', 'No route was found matching the URL and request method.');

/**
 * A WooCommerce shop (wc/v3) as observed in 11.0.1 and documented in its code and documentation, without a
 * socket.
 */
export function wooStore(options: WooStoreOptions = {}) {
  const now = options.now ?? (() => new Date());
  const gateways = options.gateways ?? GATEWAYS;
  const orders = seededOrders(options.orders ?? 36, now(), options.decimals);
  const refunds: WooRefund[] = [];
  const restocked = new Map<number, number>();
  const keys = createKeyStore(now);
  const unreadable = new Set<number>();
  const unlisted = new Set<number>();
  let home = 'http://127.0.0.1:9';
  let newest = 90_000;
  let older = false;
  let declined: string | null = null;
  let setNotCreatedStatus: 400 | 500 | null = null;
  let failure: string | null = null;
  let paidOut = 0;
  const pages = authorizePages({
    keys,
    origin: () => home,
    plainCallbacks: options.plainCallbacks ?? false,
    post: postJson,
  });

  const shop = {
    now,
    gateway: (id: string) => gateways.find((gateway) => gateway.id === id),
    declines: () => declined,
    gatewayMs: options.gatewayMs ?? 0,
    newId: () => (newest += 10),
    restock: ({ id }: { readonly id: number }, quantity: number) =>
      void restocked.set(id, (restocked.get(id) ?? 0) + quantity),
    createdCount: (refund: WooRefund) => void refunds.push(refund),
    paidOut: (amount: number) => void (paidOut += amount),
    failsAfter: () => {
      const reason = failure;
      failure = null;
      return reason;
    },
  };
  const find = (id: number) => orders.find((order) => order.id === id);

  async function refund(orderId: number, body: unknown, shown: PresentOptions): Promise<WireResponse> {
    const created = await createRefund(shop, find(orderId), body);
    if ('status' in created) return created;
    const status = setNotCreatedStatus;
    setNotCreatedStatus = null;
    return status === null
      ? { status: 201, json: presentRefund(created, find(orderId) as WooOrder, shown) }
      : notCreated(status);
  }

  const newestFirst = (rows: readonly WooRefund[]) =>
    [...rows].sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime() || other.id - one.id);

  function listRefunds(
    rows: readonly WooRefund[],
    query: URLSearchParams,
    shown: PresentOptions,
  ): WireResponse {
    const paging = readPaging(query);
    if ('status' in paging) return paging;
    const include = listOf(query, 'include');
    const found = rows.filter(({ id }) => include.length === 0 || include.includes(String(id)));
    return pageOf(newestFirst(found), paging, query, (row) =>
      presentRefund(row, find(row.orderId) as WooOrder, shown),
    );
  }

  function read(path: string, query: URLSearchParams, shown: PresentOptions): WireResponse {
    if (path === '/orders') return listOrders(orders, query, STATUSES, shown, unreadable);
    if (path === '/refunds' && !older)
      return listRefunds(
        orders.flatMap((order) => order.refunds).filter(({ id }) => !unlisted.has(id)),
        query,
        shown,
      );
    if (path === '/payment_gateways') {
      const rows = gateways.map(({ id, title, supports }) => ({
        id,
        title,
        enabled: true,
        method_title: METHODS[id] ?? title,
        method_supports: supports,
      }));
      return { status: 200, json: rows.map((row) => onlyFields(row, query)) };
    }
    const [, id = '', more] = /^\/orders\/(\d+)(\/refunds)?$/.exec(path) ?? [];
    if (id === '') return routeNotFound();
    const order = find(Number(id));
    if (more) return listRefunds(order?.refunds ?? [], query, shown);
    return order
      ? { status: 200, json: onlyFields(presentOrder(order, shown), query) }
      : wpError(404, 'woocommerce_rest_shop_order_invalid_id', 'Invalid ID.');
  }

  function serve({ method, path, query, body }: WireRequest): WireResponse | Promise<WireResponse> {
    const dp = query.get('dp');
    const shown = { dp: dp === null ? null : Number(dp), siteOffsetMinutes: options.siteOffsetMinutes ?? 60 };
    const [, place = ''] = /^\/wp-json\/wc\/v3(\/.*)$/.exec(path) ?? [];
    if (method === 'GET') return read(place, query, shown);
    const [, orderId] = /^\/orders\/(\d+)\/refunds$/.exec(place) ?? [];
    return method === 'POST' && orderId !== undefined
      ? refund(Number(orderId), body, shown)
      : routeNotFound();
  }

  /** The response for a caller with this key; null: anonymous. */
  function respondAs(
    request: WireRequest,
    key: Pick<WooKey, 'permissions' | 'manages'> | null,
  ): WireResponse | Promise<WireResponse> {
    const { method, path } = request;
    if (path === '/wp-json' || path === '/wp-json/') {
      const index = { name: 'Kiln & Co', description: '', url: home, home, namespaces: ['wp/v2', 'wc/v3'] };
      return { status: 200, json: onlyFields(index, request.query) };
    }
    const reads = method === 'GET';
    if (!key) return cannotView(401, reads ? 'view' : 'create');
    if (!key.permissions.includes(reads ? 'read' : 'write')) {
      const message = `The API key provided does not have ${reads ? 'read' : 'write'} permissions.`;
      return wpError(401, 'woocommerce_rest_authentication_error', message);
    }
    return key.manages ? serve(request) : cannotView(403, reads ? 'view' : 'create');
  }

  return {
    keys,
    orders: (): readonly WooOrder[] => orders,
    /** Another order arrives now; its first line may be sold by weight. */
    arrive({ quantity }: { readonly quantity?: number } = {}): WooOrder {
      const [order] = seededOrders(1, new Date(now().getTime() + 86_400_000), options.decimals) as [WooOrder];
      const id = (newest += 10);
      const items = order.items.map((item, at) =>
        at === 0 && quantity !== undefined ? { ...item, quantity } : item,
      );
      const arrived = { ...order, id, items, createdAt: now(), modifiedAt: now() };
      orders.push(arrived);
      return arrived;
    },
    refunds: {
      createdCount: (): readonly WooRefund[] => refunds,
      /** The gateway's rejection from now on; null: it accepts. */
      decline: (reason: string | null) => void (declined = reason),
      /**
       * The amount refunded by gateways, in ten-thousandths, including refunds that the shop does not show.
       */
      paidOut: () => paidOut,
      /** For the next refund the gateway pays, and then a plugin throws this. */
      failOnceAfterPayment: (reason: string) => void (failure = reason),
      /** The next refund is made, and the response says that it was not. */
      setNotCreatedStatus: (status: 400 | 500) => void (setNotCreatedStatus = status),
    },
    /** An order's total and refunded amount, in ten-thousandths. */
    moneyOf: (id: number) => {
      const order = find(id);
      return order ? { total: totalOf(order), refunded: refundedOf(order) } : null;
    },
    restocked: (itemId: number): number => restocked.get(itemId) ?? 0,
    /** An order that lists omit although they count it. */
    hide: (orderId: number) => void unreadable.add(orderId),
    /** A refund that the list of all refunds omits, although its order contains it. */
    unlist: (refundId: number) => void unlisted.add(refundId),
    /** A version before 9.0, which has no list of all refunds. */
    isOlder: (is: boolean) => void (older = is),
    setOrigin: (url: string) => void (home = url),
    respondAs,
    respond(request: WireRequest): WireResponse | Promise<WireResponse> {
      const page = pages(request);
      if (page) return page;
      const who = keys.behind(request, home, options.tls ?? false);
      return who && 'status' in who ? who : respondAs(request, who);
    },
  };
}

export type WooStore = ReturnType<typeof wooStore>;
