import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Router } from 'express';
import { avatarUrl } from '../account.js';
import type { AuthorizedHandle } from '../oauth/authorized.js';
import { authorized } from '../oauth/authorized.js';
import type { GrantStore } from '../oauth/grants.js';
import { json, notFound } from '../wire/response.js';
import { endpoint } from '../wire/endpoint.js';
import { jsonBody } from '../wire/json-body.js';
import { cutPage, readPaging } from '../wire/paging.js';
import { bodyFields, pathText } from '../wire/parameters.js';
import type { World } from '../world.js';
import { toFilterable, readOrderQuery } from './list-orders.js';
import type { Order } from './order.js';
import { stateOf } from './order-state.js';
import type { Orders } from './orders.js';
import { presentOrder } from './present-order.js';
import { readRefund } from './read-refund.js';
import type { Refund } from './refund.js';
import { presentRefund } from './refund.js';
import { SHOPS } from './shops.js';

export function storeApi(world: World, grants: GrantStore, orders: Orders): Router {
  const needs = (scope: string, handle: AuthorizedHandle) =>
    endpoint(world, 'store', authorized(grants, scope, handle));
  const ownOrder = (shop: string, id: string) => {
    const order = orders.get(id);
    return order?.shop === shop ? order : undefined;
  };
  const present = (order: Order) =>
    presentOrder(world.origin(), order, orders.refundsOf(order), world.clock.now());

  const me: AuthorizedHandle = (id) => {
    const shop = SHOPS.find((known) => known.id === id);
    if (!shop) return notFound();
    const { name, domain, email, currency, timezone, createdAt } = shop;
    const url = `${world.origin()}/store/orders?shop=${id}`;
    return json(200, {
      id,
      name,
      domain,
      email,
      currency,
      timezone,
      avatar_url: avatarUrl(world.origin(), 'store', shop),
      url,
      created_at: createdAt,
    });
  };

  const listOrders: AuthorizedHandle = (shop, request) => {
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
    return json(200, { data: data.map(({ order }) => present(order)), ...page });
  };

  const getOrder: AuthorizedHandle = (shop, request) => {
    const order = ownOrder(shop, pathText(request, 'id'));
    return order ? json(200, present(order)) : notFound();
  };

  const listRefunds: AuthorizedHandle = (shop, request) => {
    const order = ownOrder(shop, pathText(request, 'id'));
    if (!order) return notFound();
    const now = world.clock.now();
    return json(200, { data: orders.refundsOf(order).map((refund) => presentRefund(refund, now)) });
  };

  const createRefund: AuthorizedHandle = async (shop, request) => {
    const order = ownOrder(shop, pathText(request, 'id'));
    if (!order) return notFound();
    const state = stateOf(order, orders.refundsOf(order), world.clock.now());
    const requested = readRefund(order, state, bodyFields(request));
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
  };

  return Router()
    .use(jsonBody)
    .get('/me', needs('profile', me))
    .get('/orders', needs('orders:read', listOrders))
    .get('/orders/:id', needs('orders:read', getOrder))
    .get('/orders/:id/refunds', needs('orders:read', listRefunds))
    .post('/orders/:id/refunds', needs('refunds:write', createRefund))
    .use(endpoint(world, 'store', notFound));
}
