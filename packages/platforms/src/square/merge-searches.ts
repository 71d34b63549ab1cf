import type { OrderSort } from '@switchboard/platform-kit';
import type { OrderCursor } from './order-cursor.js';
import type { WireOrder } from './wire.js';

/** The results of one search, of at most ten locations, beyond the position, in the requested order. */
export interface SearchResult {
  readonly orders: readonly WireOrder[];
  /** Whether Square returned orders that cannot be read and are omitted. */
  readonly isAnyUnreadable: boolean;
  /** No more orders follow. */
  readonly ended: boolean;
}

/** When an order was created, or last changed: whichever the list is sorted by. */
export const timeOf = (order: WireOrder, sort: OrderSort): number =>
  (sort.endsWith('created_at') ? order.created_at : (order.updated_at ?? order.created_at)).getTime();

const before = (atMs: number, otherMs: number, sort: OrderSort): boolean =>
  sort.startsWith('-') ? atMs > otherMs : atMs < otherMs;

/** Whether a previous page contained it. */
export const wasReturned = (order: WireOrder, position: OrderCursor | null, sort: OrderSort): boolean => {
  if (!position) return false;
  const atMs = timeOf(order, sort);
  return before(atMs, position.atMs, sort) || (atMs === position.atMs && position.ids.includes(order.id));
};

/**
 * Merges several searches into one page. A search that is not complete may still return orders from the time
 * of its last one on: later orders are not listed yet.
 */
export function mergeSearches(
  searches: readonly SearchResult[],
  {
    sort,
    position,
    limit,
  }: { readonly sort: OrderSort; readonly position: OrderCursor | null; readonly limit: number },
): { readonly orders: readonly WireOrder[]; readonly next: OrderCursor | null } {
  const at = (order: WireOrder) => timeOf(order, sort);
  const all = searches
    .flatMap(({ orders }) => orders)
    .sort((one, other) => (sort.startsWith('-') ? at(other) - at(one) : at(one) - at(other)));
  const open = searches.filter(({ ended }) => !ended).flatMap(({ orders }) => orders.at(-1) ?? []);
  const settled = all.filter((order) => !open.some((last) => before(at(last), at(order), sort)));
  const orders = settled.slice(0, limit);
  const last = orders.at(-1);
  if (!last || (open.length === 0 && orders.length === all.length)) return { orders, next: null };
  const atMs = at(last);
  const ids = orders.filter((order) => at(order) === atMs).map(({ id }) => id);
  return { orders, next: { atMs, ids: position?.atMs === atMs ? [...position.ids, ...ids] : ids } };
}
