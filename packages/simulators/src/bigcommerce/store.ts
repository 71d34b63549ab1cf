import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { toAmount } from './amounts.js';
import { listOrders } from './list-orders.js';
import { storeOauth, type StoreApp } from './oauth.js';
import { capturedMinor, refundedMinor, type Order } from './order.js';
import { presentOrder, presentRefund } from './present-order.js';
import { presentQuote, quoteRefund } from './quote.js';
import { refundStore } from './refund-store.js';
import { v2Error, v3Error } from './errors.js';
import { rateLimit } from './rate-limit.js';
import { seededOrders } from './seeded-orders.js';

/** Order, transactions and information: the scopes that an app requests and a merchant grants. */
export const BIGCOMMERCE_SCOPES = [
  'store_v2_orders',
  'store_v2_transactions',
  'store_v2_information_read_only',
] as const;

export interface BigCommerceOptions {
  readonly hash?: string;
  readonly now?: () => Date;
  /** Apps that may request a token by OAuth. */
  readonly apps?: readonly StoreApp[];
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

/** A BigCommerce store according to its documentation, without a socket: v2 orders and v3 refunds. */
export function bigCommerceStore(options: BigCommerceOptions = {}) {
  const { hash = 'x1y2z3', now = () => new Date(), tokens = {}, apps = [] } = options;
  const { settleAfterReads, keepsReason = true, boundsIncluded = true, quota = Infinity } = options;
  const { takesStatusBack = true, leavesTransactions = true } = options;
  const orders: Order[] = seededOrders();
  const refunds = refundStore(orders, {
    now,
    settleAfterReads,
    keepsReason,
    takesStatusBack,
    leavesTransactions,
  });
  const limit = rateLimit(quota, now);
  const oauth = storeOauth({ storeHash: hash, apps });
  const find = (id: string) => orders.find((order) => String(order.id) === id);

  function v2({ method, query }: WireRequest, [thing, id]: readonly string[]): WireResponse {
    if (method !== 'GET') return v2Error(405, 'The request method is not supported by this resource.');
    if (thing === 'store') return okResponse(information());
    if (thing !== 'orders') return v2Error(404, 'The requested resource was not found.');
    if (id === undefined) {
      const page = listOrders(orders, query, { boundsIncluded });
      if (page === null) return v2Error(400, 'A parameter is not valid.');
      return page.length === 0
        ? { status: 204 }
        : okResponse(page.map((order) => presentOrder(order, query)));
    }
    const order = find(id);
    return order
      ? okResponse(presentOrder(order, query))
      : v2Error(404, 'The requested resource was not found.');
  }

  const information = () => ({
    id: hash,
    name: 'Kiln & Co',
    domain: 'kiln.example',
    secure_url: 'https://kiln.example',
    control_panel_base_url: `https://store-${hash}.mybigcommerce.com`,
    currency: 'USD',
    logo: [],
  });

  function v3(request: WireRequest, [thing, id = '', ...rest]: readonly string[]): WireResponse {
    if (thing !== 'orders') return v3Error(404, 'The route is not found, check the URL');
    if (id === 'payment_actions') return listRefunds(request, rest);
    const order = find(id);
    if (!order) return v3Error(404, `Order with ID ${id} not found`);
    switch (`${request.method} ${rest.join('/')}`) {
      case 'GET transactions':
        return transactionsOf(order);
      case 'GET payment_actions/refunds':
        return okResponse({ data: refunds.read([order.id]).map(presented), meta: {} });
      case 'POST payment_actions/refund_quotes': {
        const quote = quoteRefund(order, request.body);
        if (typeof quote === 'string') return v3Error(422, quote);
        return { status: 201, json: { data: presentQuote(order, quote), meta: {} } };
      }
      case 'POST payment_actions/refunds': {
        const refund = refunds.create(order, request.body);
        if (typeof refund === 'string') return { status: 422, json: { data: [v3Error(422, refund).json] } };
        return { status: 201, json: { data: presentRefund(refund, order.currency), meta: {} } };
      }
      default:
        return v3Error(404, 'The route is not found, check the URL');
    }
  }

  const presented = ({ refund, currency }: ReturnType<typeof refunds.read>[number]) =>
    presentRefund(refund, currency);

  function listRefunds({ method, query }: WireRequest, rest: readonly string[]): WireResponse {
    if (method !== 'GET' || rest.join('/') !== 'refunds') {
      return v3Error(404, 'The route is not found, check the URL');
    }
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 50)];
    const requested = query.get('order_id:in')?.split(',').map(Number) ?? null;
    const found = refunds.read(requested).slice((page - 1) * limit, page * limit);
    return okResponse({ data: found.map(presented), meta: {} });
  }

  function transactionsOf({ transactions, currency, id }: Order): WireResponse {
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

  /** The response for a caller with these scopes, with a `Date` header as from every server. */
  function respondAs(request: WireRequest, scopes: readonly string[]): WireResponse {
    const stated = judged(request, scopes);
    return { ...stated, headers: { ...stated.headers, date: now().toUTCString() } };
  }

  function judged(request: WireRequest, scopes: readonly string[]): WireResponse {
    const [, home, whose, version, ...rest] = request.path.split('/').map(decodeURIComponent);
    if (home !== 'stores' || whose !== hash) return v3Error(401, 'Unauthorized');
    const writes = request.method !== 'GET';
    const needed = scopeOf(rest);
    if (!scopes.includes(needed) && (writes || !scopes.includes(`${needed}_read_only`))) {
      const words = "You don't have a required scope to access the endpoint";
      return version === 'v2' ? v2Error(403, words) : v3Error(403, words);
    }
    return version === 'v2' ? v2(request, rest) : v3(request, rest);
  }

  return {
    hash,
    refunds,
    oauth,
    respondAs,
    respond(request: WireRequest): WireResponse {
      const consent = oauth.serve(request);
      if (consent) return consent;
      const token = String(request.headers['x-auth-token']);
      const scopes = tokens[token] ?? oauth.grantOf(token)?.scopes;
      const { headers, exceeded } = limit.take();
      if (exceeded) return { ...v3Error(429, 'Too many requests'), headers };
      const stated = scopes ? respondAs(request, scopes) : v3Error(401, 'Unauthorized');
      return { ...stated, headers: { ...stated.headers, ...headers } };
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

function scopeOf([thing, , what]: readonly string[]): string {
  if (thing === 'store') return 'store_v2_information';
  return what === 'transactions' ? 'store_v2_transactions' : 'store_v2_orders';
}

export type BigCommerceStore = ReturnType<typeof bigCommerceStore>;
