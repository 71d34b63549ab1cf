import type { Router } from 'express';
import { messagePage } from '../pages/layout.js';
import { orderPage, ordersPage } from '../pages/order-pages.js';
import { page } from '../wire/response.js';
import { endpoint, type EndpointHandler, routesOf } from '../wire/endpoint.js';
import { pathText, queryText } from '../wire/parameters.js';
import type { World } from '../world.js';
import type { Order } from './seeded-orders.js';
import { presentOrder, type Orders } from './orders.js';
import { SHOPS } from './shops.js';

const SHOWN = 100;

export function storePages(world: World, orders: Orders): Router {
  const present = (order: Order) =>
    presentOrder(world.origin(), order, orders.refundsOf(order), world.clock.now());
  const gone = (message: string) =>
    page(404, messagePage({ platform: 'store', title: 'Not found', message }));
  const routes: Readonly<Record<string, EndpointHandler>> = {
    'GET /orders': (request) => {
      const shop = SHOPS.find(({ id }) => id === (queryText(request, 'shop') ?? SHOPS[0]?.id));
      if (!shop) return gone('There is no such shop.');
      return page(200, ordersPage(SHOPS, shop, orders.of(shop.id).slice(-SHOWN).reverse().map(present)));
    },
    'GET /orders/:id': (request) => {
      const order = orders.get(pathText(request, 'id'));
      const shop = SHOPS.find(({ id }) => id === order?.shop);
      return order && shop ? page(200, orderPage(shop, present(order))) : gone('There is no such order.');
    },
  };
  return routesOf(routes, (handle) => endpoint(world, 'store', handle));
}
