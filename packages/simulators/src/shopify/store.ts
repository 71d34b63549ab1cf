import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { fieldsOf } from '../wire/exchange.js';
import { numberOf, type ShopifyAccess } from './access.js';
import { API_VERSION } from './admin-schema.js';
import type { CostPlan } from './cost.js';
import { graphqlEndpoint, type GraphqlFault } from './graphql-endpoint.js';
import type { Order, Refund } from './order.js';
import { shopOauth, type ShopApp } from './oauth.js';
import { createRefund, type RefundInput, type StoreConfiguration } from './create-refund.js';
import { idempotencyStore } from './idempotency-store.js';
import { seededOrders } from './seed-orders.js';

export interface ShopifyOptions {
  readonly now?: () => Date;
  readonly shop?: { readonly id: number; readonly name: string; readonly domain: string };
  /** The apps that the store's owner may grant access to. */
  readonly apps?: readonly ShopApp[];
  /** The accepted tokens: the values of `X-Shopify-Access-Token`. */
  readonly tokens?: Readonly<Record<string, ShopifyAccess>>;
  readonly orders?: readonly Order[];
  readonly plan?: CostPlan;
  /** The maximum depth of a list. */
  readonly paginationCap?: number;
  readonly slowGateways?: readonly string[];
  /** Pending refunds settle after this many reads of their order; by default never. */
  readonly settlesAfterReads?: number;
}

const STANDARD_PLAN: CostPlan = { maximumAvailable: 2_000, restoreRate: 100 };
const PAGINATION_CAP = 25_000;
export const LOCATIONS = [61, 62] as const;
const SHOP = { id: 548380009, name: 'Kiln & Co', domain: 'kiln-and-co.myshopify.com' };

/**
 * A store behind the GraphQL Admin API, without a socket: documents are executed against Shopify's published
 * schema.
 */
export function shopifyStore(options: ShopifyOptions = {}) {
  const now = options.now ?? (() => new Date());
  const shop = options.shop ?? SHOP;
  const oauth = shopOauth({ shop: shop.domain, apps: options.apps ?? [], now });
  const orders = [...(options.orders ?? seededOrders(now()))];
  const tokens = new Map(Object.entries(options.tokens ?? {}));
  const created: { readonly refund: Refund; readonly order: Order; readonly key: string }[] = [];
  const reads = new Map<number, number>();
  const keys = idempotencyStore<Refund>(now);
  let ids = 9_000_000_000_000;
  const facts: StoreConfiguration = {
    shopCurrency: 'USD',
    locations: LOCATIONS,
    slowGateways: options.slowGateways ?? ['klarna'],
    now: () => new Date(Math.floor(now().getTime() / 1_000) * 1_000),
    nextId: () => ++ids,
  };

  function conclude(refundId: string, status: 'SUCCESS' | 'FAILURE' | 'ERROR') {
    const found = orders
      .flatMap((order) => order.refunds.map((refund) => ({ order, refund })))
      .find(({ refund }) => String(refund.id) === refundId);
    if (!found) throw new Error(`there is no refund ${refundId}`);
    for (const transaction of found.refund.transactions) {
      if (transaction.status === 'PENDING') transaction.status = status;
    }
    found.order.updatedAt = facts.now();
  }

  const door = graphqlEndpoint({
    now,
    shop,
    orders,
    shopCurrency: facts.shopCurrency,
    locationId: LOCATIONS[0],
    plan: options.plan ?? STANDARD_PLAN,
    paginationCap: options.paginationCap ?? PAGINATION_CAP,
    onRead(order) {
      const times = (reads.get(order.id) ?? 0) + 1;
      reads.set(order.id, times);
      if (options.settlesAfterReads === undefined || times < options.settlesAfterReads) return;
      for (const refund of order.refunds) conclude(String(refund.id), 'SUCCESS');
    },
    refund(input: RefundInput, key) {
      return keys.once(key, JSON.stringify(input), () => {
        const order = orders.find(({ id }) => id === numberOf('Order', input.orderId));
        if (!order) return { refused: 'Order does not exist' };
        const refund = createRefund(order, input, facts);
        if (!('refused' in refund)) created.push({ refund, order, key });
        return refund;
      });
    },
  });

  function respondAs(request: WireRequest, access: ShopifyAccess | null): WireResponse {
    const version = /^\/admin\/api\/([^/]+)\/graphql\.json$/.exec(request.path)?.[1];
    if (request.method !== 'POST' || version !== API_VERSION)
      return { status: 404, json: { errors: 'Not Found' } };
    if (!access) {
      const errors = '[API] Invalid API key or access token (unrecognized login or wrong password)';
      return { status: 401, json: { errors } };
    }
    const response = door.answer(fieldsOf(request.body), access);
    return { ...response, headers: { 'x-shopify-api-version': API_VERSION } };
  }

  return {
    shop,
    orders,
    oauth,
    refunds: {
      createdCount: () => created.length,
      /** Oldest first, with each refund's idempotency key. */
      list: () => created,
      settle: (refundId: string) => conclude(refundId, 'SUCCESS'),
      fail: (refundId: string) => conclude(refundId, 'FAILURE'),
      /** A gateway failure: whether the money was sent is unknown. */
      error: (refundId: string) => conclude(refundId, 'ERROR'),
    },
    /** Makes the next response, or a later one, fail in a way specific to GraphQL. */
    disturb: (how: GraphqlFault, skipRequests = 0) => door.disturb(how, skipRequests),
    /** The executed documents, and their deprecations in the published schema. */
    documents: () => door.documents(),
    /** The warnings about a search, which Shopify reports only in the extensions. */
    warnings: () => door.warnings(),
    respondAs,
    respond(request: WireRequest): WireResponse {
      const token = String(request.headers['x-shopify-access-token']);
      const grant = oauth.grantOf(token);
      const access = grant && { scopes: grant.scopes, protectedData: true };
      return oauth.serve(request) ?? respondAs(request, access ?? tokens.get(token) ?? null);
    },
  };
}

export type ShopifyStore = ReturnType<typeof shopifyStore>;
