import { ok, type OrderStatus, type OrderQuery, type Orders } from '@switchboard/platform-kit';
import { readableRows } from '@switchboard/platform-kit/readable-rows';
import { requestGraphql } from './client.js';
import { readOrder } from './read-order.js';
import { queries, order } from './wire.js';

const PAGE_MAX = 100;
/** The states that are not merely open; a server may add its own states, which are all open. */
const STATES: Readonly<Record<Exclude<OrderStatus, 'open'>, string>> = {
  completed: 'Delivered',
  cancelled: 'Cancelled',
};

export const orders: Orders = {
  filters: [
    'sort',
    'statuses',
    'createdAfter',
    'createdBefore',
    'updatedAfter',
    'updatedBefore',
    'number',
    'currency',
  ],

  countsPages: true,

  async list(session, query, { limit, token }) {
    const skip = Number(token ?? 0);
    const options = {
      take: Math.min(limit, PAGE_MAX),
      skip,
      // IDs increase with time, and order the orders with the same time.
      sort: {
        [query.sort.endsWith('created_at') ? 'orderPlacedAt' : 'updatedAt']: sortDirection(query),
        id: sortDirection(query),
      },
      filter: filterOf(query),
    };
    const listed = await requestGraphql(session, queries.orders, { options });
    if (!listed.ok) return listed;
    const { items, totalItems } = listed.value.orders;
    const { moneyStrategyPrecision: precision } = listed.value.globalSettings.serverConfig;
    const end = skip + items.length;
    const { rows, notes } = readableRows(items, order);
    return ok({
      orders: rows.map((row) => readOrder(row, precision, session.baseUrl)),
      notes,
      ...(items.length > 0 && end < totalItems && { next: String(end) }),
    });
  },

  async get(session, externalId) {
    const found = await requestGraphql(session, queries.order, { id: externalId });
    if (!found.ok) return found;
    const { order: wire, globalSettings } = found.value;
    return ok(wire && readOrder(wire, globalSettings.serverConfig.moneyStrategyPrecision, session.baseUrl));
  },
};

const sortDirection = ({ sort }: OrderQuery) => (sort.startsWith('-') ? 'DESC' : 'ASC');

function filterOf(query: OrderQuery) {
  const { statuses, number, currency } = query;
  return {
    // A cart is an order too, until it is placed.
    orderPlacedAt: { isNull: false, ...dateRange(query.createdAfter, query.createdBefore) },
    updatedAt: dateRange(query.updatedAfter, query.updatedBefore),
    ...(statuses && statuses.length > 0 && { state: statesOf(statuses) }),
    ...(number !== undefined && { code: { eq: number.replace(/^#/, '') } }),
    ...(currency !== undefined && { currencyCode: { eq: currency } }),
  };
}

/** `after` excludes the time itself, which our filter includes. */
const dateRange = (after: Date | undefined, before: Date | undefined) => ({
  ...(after && { after: new Date(after.getTime() - 1).toISOString() }),
  ...(before && { before: before.toISOString() }),
});

function statesOf(statuses: readonly OrderStatus[]) {
  const named = (requested: boolean) =>
    Object.entries(STATES).flatMap(([status, state]) =>
      statuses.includes(status as OrderStatus) === requested ? [state] : [],
    );
  return statuses.includes('open') ? { notIn: named(false) } : { in: named(true) };
}
