import { ok, type OrderStatus, type OrderQuery, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { readableRows } from '@switchboard/platform-kit/readable-rows';
import { timeOf, wasReturned, type SearchResult } from './merge-searches.js';
import type { OrderCursor } from './order-cursor.js';
import { requestJson, order, orderSearch, type WireOrder } from './wire.js';

/** The maximum number of locations in one search. */
export const LOCATIONS_MAX = 10;
/** A page of orders with all their related objects stays below this size. */
const ORDERS_BYTES_MAX = 16 * 1024 * 1024;

/** Our statuses mapped to Square's, without drafts. */
const STATES: Readonly<Record<OrderStatus, string>> = {
  open: 'OPEN',
  completed: 'COMPLETED',
  cancelled: 'CANCELED',
};
const STATUSES = ['open', 'completed', 'cancelled'] as const;

/** Orders of up to ten locations that follow the position, at least one unless there is none. */
export async function search(
  session: Session,
  query: OrderQuery,
  {
    locationIds,
    position,
    limit,
  }: {
    readonly locationIds: readonly string[];
    readonly position: OrderCursor | null;
    readonly limit: number;
  },
): AdapterResult<SearchResult> {
  const { after, before } = boundsOf(query);
  // Square rejects a range that ends before it begins.
  if (after && before && after >= before) return ok({ orders: [], isAnyUnreadable: false, ended: true });
  const requested = { location_ids: locationIds, limit, query: queryOf(query, position) };
  const fresh = (one: WireOrder) => isInRange(one, query) && !wasReturned(one, position, query.sort);
  let isAnyUnreadable = false;
  let cursor: string | null | undefined;
  do {
    const page = await requestJson(
      session,
      {
        method: 'POST',
        path: '/v2/orders/search',
        json: { ...requested, ...(cursor && { cursor }) },
        effect: 'read',
        maxBytes: ORDERS_BYTES_MAX,
      },
      orderSearch,
    );
    if (!page.ok) return page;
    cursor = page.value.cursor;
    const rows = page.value.orders ?? [];
    const read = readableRows(rows, order).rows;
    isAnyUnreadable ||= read.length < rows.length;
    const orders = read.filter(fresh);
    if (orders.length > 0) return ok({ orders, isAnyUnreadable, ended: !cursor });
  } while (cursor);
  return ok({ orders: [], isAnyUnreadable, ended: true });
}

function queryOf(query: OrderQuery, position: OrderCursor | null) {
  const { sort, statuses = STATUSES } = query;
  const field = sort.endsWith('created_at') ? 'created_at' : 'updated_at';
  const range = rangeOf(query, position);
  return {
    filter: {
      state_filter: { states: (statuses.length > 0 ? statuses : STATUSES).map((status) => STATES[status]) },
      ...((range.start_at ?? range.end_at) !== undefined && { date_time_filter: { [field]: range } }),
    },
    sort: { sort_field: field.toUpperCase(), sort_order: sort.startsWith('-') ? 'DESC' : 'ASC' },
  };
}

/** The bounds of the time that is sorted by: Square accepts only one, and it has to be the same. */
const boundsOf = ({ sort, ...query }: OrderQuery) =>
  sort.endsWith('created_at')
    ? { after: query.createdAfter, before: query.createdBefore }
    : { after: query.updatedAfter, before: query.updatedBefore };

/**
 * Both ends are inclusive: orders with the time of the position, or of the end, are requested, and filtered
 * by the adapter.
 */
function rangeOf(query: OrderQuery, position: OrderCursor | null): { start_at?: string; end_at?: string } {
  const { after, before } = boundsOf(query);
  const newestFirst = query.sort.startsWith('-');
  const start = position && !newestFirst ? position.atMs : after?.getTime();
  // If Square stores fractions of a millisecond that it does not return, they are not cut off.
  const end = position && newestFirst ? position.atMs + 1 : before?.getTime();
  return {
    ...(start !== undefined && { start_at: new Date(start).toISOString() }),
    ...(end !== undefined && { end_at: new Date(end).toISOString() }),
  };
}

function isInRange(order: WireOrder, query: OrderQuery): boolean {
  const { after, before } = boundsOf(query);
  const atMs = timeOf(order, query.sort);
  return (
    (after === undefined || atMs >= after.getTime()) && (before === undefined || atMs < before.getTime())
  );
}
