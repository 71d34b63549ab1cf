import {
  ok,
  type OrderStatus,
  type OrderQuery,
  type Orders,
  type PlatformRequest,
} from '@switchboard/platform-kit';
import { nullIfCode } from '@switchboard/platform-kit/platform-client';
import { readableRows } from '@switchboard/platform-kit/readable-rows';
import { readOrder } from './read-order.js';
import { order, ORDER_FIELDS, orderAnswer, orderList, placedOrder, requestJson } from './wire.js';

const PAGE_MAX = 100;
/** A page of orders with all their related objects stays below this size. */
const ORDERS_BYTES_MAX = 16 * 1024 * 1024;

const STATUSES: Readonly<Record<OrderStatus, readonly string[]>> = {
  open: ['pending', 'requires_action', 'draft'],
  completed: ['completed', 'archived'],
  cancelled: ['canceled'],
};

export const orders: Orders = {
  // Medusa documents filters for email, number and payment status, and ignores them (NOTES.md).
  filters: ['sort', 'statuses', 'createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'],

  countsPages: true,

  async list(session, query, { limit, token }) {
    const position = decodeCursor(token);
    const listed = await requestJson(
      session,
      {
        path: '/admin/orders',
        query: {
          fields: ORDER_FIELDS,
          order: query.sort,
          limit: Math.min(limit, PAGE_MAX),
          offset: position.offset,
          ...filtersOf(query, position.newest),
        },
        maxBytes: ORDERS_BYTES_MAX,
      },
      orderList,
    );
    if (!listed.ok) return listed;
    const { orders: found, count, offset } = listed.value;
    const { rows, notes } = readableRows(found, order);
    const end = offset + found.length;
    // Only the first page determines from where its offsets count.
    const isFirst = query.sort === '-created_at' && offset === 0;
    const newest = isFirst ? placedOrder.safeParse(found[0]).data?.created_at : position.newest;
    return ok({
      orders: rows.map((row) => readOrder(row, session.baseUrl)),
      notes,
      ...(found.length > 0 && end < count && { next: encodeCursor({ offset: end, newest }) }),
    });
  },

  async get(session, externalId) {
    const found = await requestJson(
      session,
      { path: orderPath(externalId), query: { fields: ORDER_FIELDS } },
      orderAnswer,
      nullIfCode('not_found'),
    );
    if (!found.ok) return found;
    return ok(found.value && readOrder(found.value.order, session.baseUrl));
  },
};

const orderPath = (externalId: string) => `/admin/orders/${encodeURIComponent(externalId)}`;

function filtersOf(query: OrderQuery, newest: Date | undefined): NonNullable<PlatformRequest['query']> {
  return {
    'status[]': query.statuses?.flatMap((status) => STATUSES[status]),
    'created_at[$gte]': query.createdAfter?.toISOString(),
    'created_at[$lt]': query.createdBefore?.toISOString(),
    'created_at[$lte]': newest?.toISOString(),
    'updated_at[$gte]': query.updatedAfter?.toISOString(),
    'updated_at[$lt]': query.updatedBefore?.toISOString(),
  };
}

/**
 * The position of a list: an offset, and the newest order of the first page, so that new arrivals do not
 * shift it.
 */
interface OrderCursor {
  readonly offset: number;
  readonly newest: Date | undefined;
}

const encodeCursor = ({ offset, newest }: OrderCursor): string =>
  newest === undefined ? String(offset) : `${offset}.${newest.getTime()}`;

/** Always written by `writePosition`: cursors are authenticated. */
function decodeCursor(token: string | undefined): OrderCursor {
  const [offset, newest] = (token ?? '0').split('.').map(Number);
  return { offset: offset ?? 0, newest: newest === undefined ? undefined : new Date(newest) };
}
