import type { WireAnswer, WireRequest } from '../wire/exchange.js';
import { fieldsOf } from '../wire/exchange.js';
import { numberOf, type Access } from './access.js';
import { API_VERSION } from './admin-schema.js';
import type { Plan } from './cost.js';
import { graphqlDoor, type Disturbance } from './graphql-door.js';
import type { Order, Refund } from './order-book.js';
import { createRefund, type RefundInput, type StoreFacts } from './refund-create.js';
import { idempotencyBook } from './idempotency.js';
import { seededOrders } from './seed-orders.js';

export interface ShopifyOptions {
  readonly now?: () => Date;
  readonly shop?: { readonly id: number; readonly name: string; readonly domain: string };
  /** Who may use it: what stands in `X-Shopify-Access-Token`. */
  readonly tokens?: Readonly<Record<string, Access>>;
  readonly orders?: readonly Order[];
  readonly plan?: Plan;
  /** How deep a list may be read. */
  readonly paginationCap?: number;
  readonly slowGateways?: readonly string[];
  /** What is pending settles when its order has been read so often; never unless told. */
  readonly settlesAfterReads?: number;
}

const STANDARD_PLAN: Plan = { maximumAvailable: 2_000, restoreRate: 100 };
const PAGINATION_CAP = 25_000;
export const LOCATIONS = [61, 62] as const;
const SHOP = { id: 548380009, name: 'Kiln & Co', domain: 'kiln-and-co.myshopify.com' };

/** A store behind the GraphQL Admin API, without a socket: documents are executed against Shopify's published schema. */
export function shopifyStore(options: ShopifyOptions = {}) {
  const now = options.now ?? (() => new Date());
  const shop = options.shop ?? SHOP;
  const orders = [...(options.orders ?? seededOrders(now()))];
  const tokens = new Map(Object.entries(options.tokens ?? {}));
  const made: { readonly refund: Refund; readonly order: Order; readonly key: string }[] = [];
  const reads = new Map<number, number>();
  const keys = idempotencyBook<Refund>(now);
  let ids = 9_000_000_000_000;
  const facts: StoreFacts = {
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

  const door = graphqlDoor({
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
        if (!('refused' in refund)) made.push({ refund, order, key });
        return refund;
      });
    },
  });

  function answerAs(request: WireRequest, access: Access | null): WireAnswer {
    const version = /^\/admin\/api\/([^/]+)\/graphql\.json$/.exec(request.path)?.[1];
    if (request.method !== 'POST' || version !== API_VERSION)
      return { status: 404, json: { errors: 'Not Found' } };
    if (!access) {
      const errors = '[API] Invalid API key or access token (unrecognized login or wrong password)';
      return { status: 401, json: { errors } };
    }
    const answer = door.answer(fieldsOf(request.body), access);
    return { ...answer, headers: { 'x-shopify-api-version': API_VERSION } };
  }

  return {
    shop,
    orders,
    /** Whoever lets apps in adds to it. */
    tokens,
    refunds: {
      made: () => made.length,
      /** The oldest first, with the idempotency key that each came with. */
      list: () => made,
      settle: (refundId: string) => conclude(refundId, 'SUCCESS'),
      fail: (refundId: string) => conclude(refundId, 'FAILURE'),
      /** Something went wrong with the gateway: nobody knows whether the money went back. */
      error: (refundId: string) => conclude(refundId, 'ERROR'),
    },
    /** Makes the next answer, or the one after so many, go wrong in the way that only GraphQL has. */
    disturb: (how: Disturbance, letPass = 0) => door.disturb(how, letPass),
    /** Documents that were executed, and what the published schema advises against in them. */
    documents: () => door.documents(),
    /** What Shopify did not understand in a search, which it tells only beside the answer. */
    warnings: () => door.warnings(),
    answerAs,
    answer: (request: WireRequest): WireAnswer =>
      answerAs(request, tokens.get(String(request.headers['x-shopify-access-token'])) ?? null),
  };
}

export type ShopifyStore = ReturnType<typeof shopifyStore>;
