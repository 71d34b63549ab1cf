import type { Order } from './seed-orders.js';
import { fieldsOf } from '../wire/exchange.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { numberOf, type ShopifyAccess } from './access.js';
import { API_VERSION } from './admin-schema.js';
import type { CostPlan } from './cost.js';
import { graphqlEndpoint, type GraphqlFault } from './graphql-endpoint.js';
import type { Refund } from './order.js';
import { shopOauth, unknownToken, type ShopApp } from './oauth.js';
import { createRefund, type RefundInput, type StoreConfiguration } from './create-refund.js';
import { shopWebhooks } from './webhooks.js';
import { seededOrders } from './seed-orders.js';

export interface ShopifyOptions extends PlatformOptions<ShopApp> {
  readonly shop?: { readonly id: number; readonly name: string; readonly domain: string };
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
const LOCATIONS = [61, 62] as const;
const SHOP_CURRENCY = 'USD';
const GRAPHQL = `POST /admin/api/${API_VERSION}/graphql.json`;
const SHOP = { id: 548380009, name: 'Kiln & Co', domain: 'kiln-and-co.myshopify.com' };

/** The refunds of the app: made once for each idempotency key, and concluded by their gateways. */
function appRefunds(orders: readonly Order[], options: ShopifyOptions, now: () => Date) {
  const created: { readonly refund: Refund; readonly order: Order; readonly key: string }[] = [];
  const reads = new Map<number, number>();
  const keys = idempotencyStore<Refund>(now);
  let ids = 9_000_000_000_000;
  const facts: StoreConfiguration = {
    shopCurrency: SHOP_CURRENCY,
    locations: LOCATIONS,
    slowGateways: options.slowGateways ?? ['klarna'],
    now: () => new Date(Math.floor(now().getTime() / 1_000) * 1_000),
    nextId: () => ++ids,
  };

  function conclude(refundId: string, status: 'SUCCESS' | 'FAILURE' | 'ERROR'): void {
    const order = orders.find(({ refunds }) => refunds.some(({ id }) => String(id) === refundId));
    const refund = order?.refunds.find(({ id }) => String(id) === refundId);
    if (!order || !refund) throw new Error(`there is no refund ${refundId}`);
    for (const transaction of refund.transactions) {
      if (transaction.status === 'PENDING') transaction.status = status;
    }
    order.updatedAt = facts.now();
  }

  return {
    /** Counts a read of the order, by which its pending refunds may settle. */
    onRead: (order: Order): void => {
      const times = (reads.get(order.id) ?? 0) + 1;
      reads.set(order.id, times);
      if (options.settlesAfterReads === undefined || times < options.settlesAfterReads) return;
      for (const refund of order.refunds) conclude(String(refund.id), 'SUCCESS');
    },
    refund: (input: RefundInput, key: string) =>
      keys.once(key, JSON.stringify(input), () => {
        const order = orders.find(({ id }) => id === numberOf('Order', input.orderId));
        if (!order) return { refused: 'Order does not exist' };
        const refund = createRefund(order, input, facts);
        if (!('refused' in refund)) created.push({ refund, order, key });
        return refund;
      }),
    controls: {
      createdCount: () => created.length,
      /** Oldest first, with each refund's idempotency key. */
      list: () => created,
      settle: (refundId: string) => conclude(refundId, 'SUCCESS'),
      fail: (refundId: string) => conclude(refundId, 'FAILURE'),
      /** A gateway failure: whether the money was sent is unknown. */
      error: (refundId: string) => conclude(refundId, 'ERROR'),
    },
  };
}

/**
 * A store behind the GraphQL Admin API, without a socket: documents are executed against Shopify's published
 * schema.
 */
export function shopifyStore(options: ShopifyOptions = {}) {
  const { now = () => new Date(), shop = SHOP, apps = [], tokens = {} } = options;
  const oauth = shopOauth({ shop: shop.domain, apps, now });
  const orders = [...(options.orders ?? seededOrders(now()))];
  const { onRead, refund, controls } = appRefunds(orders, options, now);
  const webhooks = shopWebhooks(shop.domain);
  const endpoint = graphqlEndpoint({
    webhooks,
    now,
    shop,
    orders,
    shopCurrency: SHOP_CURRENCY,
    locationId: LOCATIONS[0],
    plan: options.plan ?? STANDARD_PLAN,
    paginationCap: options.paginationCap ?? PAGINATION_CAP,
    onRead,
    refund,
  });
  const notFound = { status: 404, json: { errors: 'Not Found' } };
  const simulator = defineSimulator<typeof endpoint, ShopifyAccess>({
    state: endpoint,
    oauth,
    routes: {
      [GRAPHQL]: ({ answer }, { body, owner }) => ({
        ...answer(fieldsOf(body), owner),
        headers: { 'x-shopify-api-version': API_VERSION },
      }),
    },
    ownerOf({ method, path, headers }) {
      if (`${method} ${path}` !== GRAPHQL) return notFound;
      const token = String(headers['x-shopify-access-token']);
      const grant = oauth.grantOf(token);
      return grant ? { scopes: grant.scopes, protectedData: true } : (tokens[token] ?? null);
    },
    unauthorized: unknownToken,
    notFound,
  });

  return {
    shop,
    orders,
    oauth,
    refunds: controls,
    webhooks,
    /** Makes the next response, or a later one, fail in a way specific to GraphQL. */
    disturb: (how: GraphqlFault, skipRequests = 0) => endpoint.disturb(how, skipRequests),
    /** The warnings about a search, which Shopify reports only in the extensions. */
    warnings: endpoint.warnings,
    ...simulator,
  };
}

export const startShopify = starter(shopifyStore);

const KEPT_MS = 24 * 3_600_000;

type MutationResult<Value> = Value | { readonly refused: string };

interface StoredResult<Value> {
  readonly parameters: string;
  readonly atMs: number;
  /** Null: it was rejected. */
  readonly value: Value | null;
}

/**
 * Idempotency keys of mutations as documented by Shopify: kept for 24 hours and bound to their parameters; a
 * repeated request returns the created object in its current state; a rejected request requires a new key.
 */
function idempotencyStore<Value>(now: () => Date) {
  const stored = new Map<string, StoredResult<Value>>();
  return {
    once(key: string, parameters: string, make: () => MutationResult<Value>): MutationResult<Value> {
      const atMs = now().getTime();
      const earlier = stored.get(key);
      if (earlier && atMs - earlier.atMs < KEPT_MS) {
        if (earlier.parameters !== parameters) {
          return {
            refused: 'The same idempotency key cannot be used with different operation parameters.',
          };
        }
        return (
          earlier.value ?? {
            refused: 'A previous request with this idempotency key failed. Retry with a new idempotency key.',
          }
        );
      }
      const created = make();
      const refused = typeof created === 'object' && created !== null && 'refused' in created;
      stored.set(key, { parameters, atMs, value: refused ? null : created });
      return created;
    },
  };
}
