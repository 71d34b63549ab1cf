import type { OrderQuery, Orders } from '../ports/orders.js';
import type { OrderNoteCode } from '../reason-codes.js';
import { comesBefore, sortTimeMs } from './order-filter.js';
import type { RemoteOrder } from './order.js';
import type { StoreSearchResult } from './search-store.js';

/** The position in one store: the page to continue from, and the orders of it that were already listed. */
export interface StoreCursor {
  /** The store's own page token; null for its first page. */
  readonly token: string | null;
  /**
   * The last listed order: earlier times, and these orders at this time (null: all), are not listed again.
   */
  readonly lastListed: ListedMark | null;
  /**
   * For a store with page numbers: it is queried for orders from this time on, and its pages count from
   * there.
   */
  readonly boundMs: number | null;
  /** The notes of the store about the whole list so far. */
  readonly notes: readonly OrderNoteCode[];
}

export interface ListedMark {
  readonly timeMs: number;
  readonly externalIds: readonly string[] | null;
}

export const startCursor: StoreCursor = { token: null, lastListed: null, boundMs: null, notes: [] };

/**
 * How many orders of one time are remembered, because a cursor is sent in a query string: one page of a
 * store, which may be read again from its beginning, and half as many that move onto it meanwhile.
 */
const REMEMBERED_MAX = 150;

/** An order appears again when the store's pages shift, or when a page is read again from its beginning. */
export function wasListed(
  order: RemoteOrder,
  lastListed: ListedMark | null,
  { sort }: Pick<OrderQuery, 'sort'>,
): boolean {
  if (lastListed === null) return false;
  const timeMs = sortTimeMs(order, sort);
  if (timeMs !== lastListed.timeMs) return comesBefore(timeMs, lastListed.timeMs, sort);
  return lastListed.externalIds?.includes(order.externalId) ?? true;
}

/** Advances to this order, remembering all that share its time. */
export function advanceMark(
  lastListed: ListedMark | null,
  order: RemoteOrder,
  { sort }: Pick<OrderQuery, 'sort'>,
): ListedMark {
  const timeMs = sortTimeMs(order, sort);
  const earlier = lastListed?.timeMs === timeMs ? (lastListed.externalIds ?? []) : [];
  return { timeMs, externalIds: [...earlier, order.externalId] };
}

/** The cursor after this many of the matches were listed. Null at the end of the store. */
export function cursorAfter(
  from: StoreCursor,
  search: StoreSearchResult,
  taken: number,
  query: Pick<OrderQuery, 'sort'>,
): StoreCursor | null {
  const { matches, searchedTo, notes } = search;
  const rest = matches[taken];
  if (!rest && search.ended) return null;
  const last = rest
    ? matches
        .slice(0, taken)
        .reduce<ListedMark | null>((before, { order }) => advanceMark(before, order, query), from.lastListed)
    : searchedTo;
  // The next order has another time: none with this time follows.
  const passed = rest && last && sortTimeMs(rest.order, query.sort) !== last.timeMs;
  const lastListed = passed ? { ...last, externalIds: null } : last;
  const token = rest ? rest.token : search.next;
  const remembered = lastListed && {
    ...lastListed,
    externalIds: lastListed.externalIds?.slice(-REMEMBERED_MAX) ?? null,
  };
  const unbound = { token, lastListed: remembered, boundMs: from.boundMs, notes };
  if (!search.countsPages || lastListed === null || (lastListed.externalIds?.length ?? 0) > REMEMBERED_MAX)
    return unbound;
  const boundMs = boundAt(lastListed, query);
  return boundMs === from.boundMs ? unbound : { ...unbound, token: null, boundMs };
}

/** The store's own bound that excludes listed orders: `…Before` excludes its time, `…After` includes it. */
const boundAt = ({ timeMs, externalIds }: ListedMark, { sort }: Pick<OrderQuery, 'sort'>): number =>
  sort.startsWith('-') === (externalIds === null) ? timeMs : timeMs + 1;

const BOUNDS = {
  '-created_at': 'createdBefore',
  created_at: 'createdAfter',
  '-updated_at': 'updatedBefore',
  updated_at: 'updatedAfter',
} as const;

/** Whether a store with page numbers can count its pages from a time. */
export const supportsBound = (
  { countsPages = false, filters }: Orders,
  { sort }: Pick<OrderQuery, 'sort'>,
): boolean => countsPages && filters.includes(BOUNDS[sort]);

export function applyBound(query: OrderQuery, boundMs: number | null): OrderQuery {
  if (boundMs === null) return query;
  const name = BOUNDS[query.sort];
  const asked = query[name];
  const narrower = asked !== undefined && !comesBefore(asked.getTime(), boundMs, query.sort);
  return narrower ? query : { ...query, [name]: new Date(boundMs) };
}
