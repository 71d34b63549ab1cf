import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Router, type Request } from 'express';
import { type World, avatarUrl } from '../world.js';
import { authorized, type ScopedRoute } from '../oauth/authorized.js';
import type { GrantStore } from '../oauth/grants.js';
import { json, notFound, invalidField, type HttpResponse } from '../wire/response.js';
import { endpoint, routesOf, jsonBody } from '../wire/endpoint.js';
import { cutPage, readPaging } from '../wire/paging.js';
import { bodyFields, pathText, queryText, fieldsOf, isProvided } from '../wire/parameters.js';
import {
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  presentRefund,
  type Refund,
  type Payment,
  type RefundedLine,
} from './order.js';
import { type Orders, presentOrder, stateOf, type OrderState } from './orders.js';
import type { Order } from './seeded-orders.js';
import { SHOPS } from './shops.js';

interface StoreContext {
  readonly world: World;
  readonly orders: Orders;
}
type StoreRoute = ScopedRoute<StoreContext>;
type StoreHandle = StoreRoute[1];

export function storeApi(world: World, grants: GrantStore, orders: Orders): Router {
  const context = { world, orders };
  return Router()
    .use(jsonBody)
    .use(routesOf(routes, (route) => endpoint(world, 'store', authorized(grants, context, route))))
    .use(endpoint(world, 'store', notFound));
}

/** A route of an order of the shop; any other order does not exist. */
const ofOrder =
  (
    handle: (
      context: StoreContext,
      order: Order,
      body: Readonly<Record<string, unknown>>,
    ) => ReturnType<StoreHandle>,
  ): StoreHandle =>
  (context, { account, request }) => {
    const order = context.orders.get(pathText(request, 'id'));
    return order?.shop === account ? handle(context, order, bodyFields(request)) : notFound();
  };

const presentIn = ({ world, orders }: StoreContext, order: Order) =>
  presentOrder(world.origin(), order, orders.refundsOf(order), world.clock.now());

const readMe: StoreHandle = ({ world }, { account: id }) => {
  const shop = SHOPS.find((known) => known.id === id);
  if (!shop) return notFound();
  const { name, domain, email, currency, timezone, createdAt: created_at } = shop;
  const avatar_url = avatarUrl(world.origin(), 'store', shop);
  const url = `${world.origin()}/store/orders?shop=${id}`;
  return json(200, { id, name, domain, email, currency, timezone, avatar_url, url, created_at });
};

const listOrders: StoreHandle = (context, { account: shop, request }) => {
  const { world, orders } = context;
  const query = readOrderQuery(request);
  if ('status' in query) return query;
  const paging = readPaging(request, query.sort, 50);
  if ('status' in paging) return paging;
  const field = query.sort.endsWith('updated_at') ? 'updated_at' : 'created_at';
  const now = world.clock.now();
  const found = orders.of(shop).map((order) => toFilterable(order, orders.refundsOf(order), now));
  const { data, ...page } = cutPage(found.filter(query.fits), query.sort, paging, (order) => ({
    value: order[field],
    id: order.order.id,
  }));
  return json(200, { data: data.map(({ order }) => presentIn(context, order)), ...page });
};

const createRefund = ofOrder(async ({ world, orders }, order, body) => {
  const state = stateOf(order, orders.refundsOf(order), world.clock.now());
  const requested = readRefund(order, state, body);
  if (!('order_id' in requested)) return requested;
  const settings = world.settings.current();
  // Some real stores check first and write later without a lock, so that concurrent checks do not see each
  // other.
  if (settings.lax_over_refund) await wait(settings.lax_window_ms, undefined, { signal: world.stopping });
  const now = world.clock.now();
  const refund: Refund = {
    id: `rf_${randomBytes(9).toString('hex')}`,
    ...requested,
    created_at: now.toISOString(),
    settles_at: new Date(now.getTime() + settings.refund_settle_seconds * 1000).toISOString(),
    outcome: settings.refund_settle_outcome,
  };
  orders.addRefund(order, refund);
  return json(201, presentRefund(refund, now));
});

const routes: Readonly<Record<string, StoreRoute>> = {
  'GET /me': ['profile', readMe],
  'GET /orders': ['orders:read', listOrders],
  'GET /orders/:id': ['orders:read', ofOrder((context, order) => json(200, presentIn(context, order)))],
  'GET /orders/:id/refunds': [
    'orders:read',
    ofOrder(({ world, orders }, order) => {
      const now = world.clock.now();
      return json(200, { data: orders.refundsOf(order).map((refund) => presentRefund(refund, now)) });
    }),
  ],
  'POST /orders/:id/refunds': ['refunds:write', createRefund],
};

const SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const;

/** The filterable fields of an order; unknown filters are ignored, as in real stores. */
type Filterable = Omit<ReturnType<typeof toFilterable>, 'order'>;

/** An order as lists match it: with the effect of its refunds, without detail fields. */
function toFilterable(order: Order, refunds: readonly Refund[], now: Date) {
  const { number, status, payment_status, created_at, updated_at } = order;
  const plain = { order, number, status, payment_status, created_at, updated_at };
  if (refunds.length === 0) return plain;
  const state = stateOf(order, refunds, now);
  return { ...plain, payment_status: state.paymentStatus, updated_at: state.updatedAt };
}

function readOrderQuery(request: Request) {
  const sort = SORTS.find((known) => known === (queryText(request, 'sort') ?? '-created_at'));
  if (sort === undefined) return invalidParameter('sort', `sort must be one of ${SORTS.join(', ')}.`);

  const conditions: ((order: Filterable) => boolean)[] = [];
  for (const field of ['created', 'updated'] as const) {
    for (const side of ['after', 'before'] as const) {
      const provided = queryText(request, `${field}_${side}`);
      if (provided === undefined) continue;
      const moment = /^\d{4}-\d\d-\d\d/.test(provided) ? Date.parse(provided) : NaN;
      if (Number.isNaN(moment))
        return invalidParameter(`${field}_${side}`, 'A time must be in RFC 3339 format.');
      conditions.push((order) => Date.parse(order[`${field}_at`]) >= moment === (side === 'after'));
    }
  }
  for (const [field, known] of [
    ['status', ORDER_STATUSES],
    ['payment_status', PAYMENT_STATUSES],
  ] as const) {
    const requested = queryText(request, field)?.split(',');
    if (requested === undefined) continue;
    if (!requested.every((value) => (known as readonly string[]).includes(value)))
      return invalidParameter(field, `${field} must be one of ${known.join(', ')}.`);
    conditions.push((order) => requested.includes(order[field]));
  }
  const number = queryText(request, 'number');
  if (number !== undefined) conditions.push((order) => order.number === number);
  return { sort, fits: (order: Filterable) => conditions.every((holds) => holds(order)) };
}

const invalidParameter = (field: string, message: string): HttpResponse =>
  invalidField(field, 'filter_invalid', message);

type RequestBody = Readonly<Record<string, unknown>>;
type RefundRequest = Omit<Refund, 'id' | 'created_at' | 'settles_at' | 'outcome'>;

/** The refund of a request body, or the error in the order's current state. */
function readRefund(order: Order, state: OrderState, body: RequestBody): RefundRequest | HttpResponse {
  const malformed = findMalformed(body);
  if (malformed) return malformed;
  const payment = order.payments.find((known) => known.id === body['payment_id']);
  if (!payment) return invalidField('payment_id', 'payment_not_found', 'The order has no such payment.');
  const lines = ((body['line_items'] ?? []) as unknown[])
    .map(fieldsOf)
    .map(({ id, quantity }) => ({ id, quantity }) as RefundedLine);
  const [amount, shipping] = [body['amount'] as number, (body['shipping'] ?? 0) as number];
  const offline = body['offline'] === true;
  const refused =
    refusedAmount(order, state, payment, body) ??
    refusedLines(order, state, lines) ??
    refusedShipping(state, shipping) ??
    refusedMethod(payment, offline);
  if (refused) return refused;

  const text = (field: string) => (isProvided(body[field]) ? (body[field] as string) : null);
  return {
    order_id: order.id,
    payment_id: payment.id,
    amount,
    currency: order.currency,
    offline,
    line_items: lines,
    shipping,
    reason: text('reason'),
    note: text('note'),
    reference: text('reference'),
    restock: body['restock'] === true,
    customer_notified: body['notify'] !== false,
  };
}

function refusedAmount(
  { currency }: Order,
  state: OrderState,
  payment: Payment,
  body: RequestBody,
): HttpResponse | undefined {
  if (payment.captured === 0)
    return invalidField('payment_id', 'payment_not_captured', 'Nothing of this payment was captured.');
  if (body['currency'] !== currency)
    return invalidField('currency', 'currency_mismatch', `The order is in ${currency}.`, { currency });
  const refundable = state.refundableOf(payment.id);
  if ((body['amount'] as number) <= refundable) return undefined;
  const message = 'The amount exceeds the refundable remainder of this payment.';
  return invalidField('amount', 'amount_exceeds_refundable', message, { refundable });
}

function refusedLines(
  order: Order,
  state: OrderState,
  lines: readonly RefundedLine[],
): HttpResponse | undefined {
  for (const { id } of lines) {
    const line = order.line_items.find((known) => known.id === id);
    if (!line) return invalidField('line_items', 'line_item_not_found', 'The order has no such line item.');
    const refundable = line.quantity - state.refundedQuantity(id);
    const requested = lines
      .filter((other) => other.id === id)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    if (requested <= refundable) continue;
    const message = 'The quantity exceeds the remainder of this line item.';
    return invalidField('line_items', 'quantity_exceeds_refundable', message, { id, refundable });
  }
  return undefined;
}

function refusedShipping({ shippingRefundable }: OrderState, shipping: number): HttpResponse | undefined {
  if (shipping <= shippingRefundable) return undefined;
  const message = 'The amount exceeds the remainder of the shipping.';
  return invalidField('shipping', 'shipping_exceeds_refundable', message, { refundable: shippingRefundable });
}

function refusedMethod({ online }: Payment, offline: boolean): HttpResponse | undefined {
  if (online !== offline) return undefined;
  return online
    ? invalidField(
        'offline',
        'offline_not_possible',
        'This payment can only be refunded through its gateway.',
      )
    : invalidField(
        'offline',
        'offline_required',
        'This payment is offline. Refund it manually and pass `offline: true`.',
      );
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isLine = (line: unknown) => {
  const { id, quantity } = fieldsOf(line);
  return typeof id === 'string' && isCount(quantity) && quantity > 0;
};
const isText = (max: number) => (value: unknown) => typeof value === 'string' && value.length <= max;
const isFlag = (value: unknown) => typeof value === 'boolean';
const textRule = (max: number) => [isText(max), `may have at most ${max} characters.`] as const;

/** The valid values of a refund's fields, of which only the amount is required. */
const REFUND_FIELDS: Readonly<Record<string, readonly [accepts: (value: unknown) => boolean, rule: string]>> =
  {
    amount: [(value) => isCount(value) && value > 0, 'must be a positive whole number of minor units.'],
    shipping: [isCount, 'must be a whole number of minor units.'],
    line_items: [(value) => Array.isArray(value) && value.every(isLine), 'must be a list of {id, quantity}.'],
    reason: textRule(255),
    note: textRule(1000),
    reference: textRule(100),
    restock: [isFlag, 'must be true or false.'],
    notify: [isFlag, 'must be true or false.'],
    offline: [isFlag, 'must be true or false.'],
  };

function findMalformed(body: RequestBody): HttpResponse | undefined {
  for (const [field, [accepts, rule]] of Object.entries(REFUND_FIELDS)) {
    if ((isProvided(body[field]) || field === 'amount') && !accepts(body[field])) {
      const code = field === 'amount' || field === 'reference' ? `${field}_invalid` : 'field_invalid';
      return invalidField(field, code, `${field} ${rule}`);
    }
  }
  return undefined;
}
