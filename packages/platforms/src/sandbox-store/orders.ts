import { ok, type OrderQuery, type Orders, type PlatformRequest } from '@switchboard/platform-kit';
import { nullIfCode } from '@switchboard/platform-kit/platform-client';
import { readOrder } from './read-order.js';
import { order, orderList, requestJson } from './wire.js';

const PAGE_MAX = 100;

export const orders: Orders = {
  // Email, total, currency and fulfillment are not filters of this store: it silently ignores them.
  filters: [
    'sort',
    'statuses',
    'paymentStatuses',
    'createdAfter',
    'createdBefore',
    'updatedAfter',
    'updatedBefore',
    'number',
  ],

  async list(session, query, page) {
    const listed = await requestJson(
      session,
      {
        path: '/store/api/orders',
        query: { ...filtersOf(query), limit: Math.min(page.limit, PAGE_MAX), page_token: page.token },
        maxBytes: ORDERS_BYTES_MAX,
      },
      orderList,
    );
    if (!listed.ok) return listed;
    const { data, next_page_token: next } = listed.value;
    return ok({ orders: data.map(readOrder), ...(next === null ? {} : { next }) });
  },

  async get(session, externalId) {
    const found = await requestJson(session, orderPath(externalId), order, nullIfCode('not_found'));
    if (!found.ok) return found;
    return ok(found.value && readOrder(found.value));
  },
};

/** A hundred orders with their refunds stay far below this. */
const ORDERS_BYTES_MAX = 4 * 1024 * 1024;

export const orderPath = (externalId: string) => `/store/api/orders/${encodeURIComponent(externalId)}`;

const filtersOf = (query: OrderQuery): NonNullable<PlatformRequest['query']> => ({
  sort: query.sort,
  status: list(query.statuses),
  payment_status: list(query.paymentStatuses),
  created_after: query.createdAfter?.toISOString(),
  created_before: query.createdBefore?.toISOString(),
  updated_after: query.updatedAfter?.toISOString(),
  updated_before: query.updatedBefore?.toISOString(),
  number: query.number,
});

/** An empty list means no filter, like a missing one. */
const list = (values: readonly string[] | undefined) => (values?.length ? values.join(',') : undefined);
