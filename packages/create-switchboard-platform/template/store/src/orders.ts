import { ok, type Orders } from '@switchboard/platform-kit';
import { z } from 'zod';
import { requestJson } from './client.js';
import { order, readOrder } from './order.js';

const page = z.object({ orders: z.array(order), next: z.string().min(1).nullable() });

export const orderPath = (id: string) => `/v1/orders/${encodeURIComponent(id)}`;

export const orders: Orders = {
  // What the store itself does; everything else is filtered by Switchboard.
  filters: ['sort'],

  async list(session, { sort }, { limit, token }) {
    const query = { sort, limit, cursor: token };
    const listed = await requestJson(session, { path: '/v1/orders', query }, page);
    if (!listed.ok) return listed;
    const { orders: found, next } = listed.value;
    return ok({ orders: found.map(readOrder), ...(next !== null && { next }) });
  },

  async get(session, externalId) {
    const found = await requestJson(session, orderPath(externalId), order, ({ code }) =>
      code === 'not_found' ? ok(null) : undefined,
    );
    return found.ok ? ok(found.value && readOrder(found.value)) : found;
  },
};
