import type { OrderQuery, Orders } from '../ports/platform.js';
import { comesBefore, sortTimeMs } from './order-filter.js';
import type { RemoteOrder } from './order.js';
import type { StoreSearchResult } from './search-store.js';

/** Where the traversal of one store stands: from which of its pages to go on, and what of it has been given already. */
export interface StoreCursor {
  /** The store's own page token; null for its first page. */
  readonly token: string | null;
  /** The last order given: everything before this time, and at this time these orders (null: all), is not given again. */
  readonly lastListed: ListedMark | null;
  /** For a store that counts its pages: it is asked for what has this time or comes later, and counts from there. */
  readonly boundMs: number | null;
  /** What the store has said of the whole list so far. */
  readonly notes: readonly string[];
}

export interface ListedMark {
  readonly timeMs: number;
  readonly externalIds: readonly string[] | null;
}

export const startCursor: StoreCursor = { token: null, lastListed: null, boundMs: null, notes: [] };

/**
 * So many orders of one time are remembered, since a cursor goes into a query string: a page of a store, which may be read
 * again from its beginning, and half as many that slide onto it meanwhile.
 */
const REMEMBERED_MAX = 150;

/** The same order is met again when the store's pages shift, or when a page is read again from its beginning. */
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

/** Moves on to this order, remembering all that share its time. */
export function advanceMark(lastListed: ListedMark | null, order: RemoteOrder, { sort }: Pick<OrderQuery, 'sort'>): ListedMark {
  const timeMs = sortTimeMs(order, sort);
  const earlier = lastListed?.timeMs === timeMs ? (lastListed.externalIds ?? []) : [];
  return { timeMs, externalIds: [...earlier, order.externalId] };
}

/** Where to go on after so many of what was found have been given. Null at the end of the store. */
export function cursorAfter(
  from: StoreCursor,
  search: StoreSearchResult,
  taken: number,
  query: Pick<OrderQuery, 'sort'>,
): StoreCursor | null {
  const { matches: found, searchedTo, notes } = search;
  const rest = found[taken];
  if (!rest && search.ended) return null;
  const last = rest
    ? found
        .slice(0, taken)
        .reduce<ListedMark | null>((before, { order }) => advanceMark(before, order, query), from.lastListed)
    : searchedTo;
  // What comes next is of another time: of this one nothing follows.
  const passed = rest && last && sortTimeMs(rest.order, query.sort) !== last.timeMs;
  const lastListed = passed ? { ...last, externalIds: null } : last;
  const token = rest ? rest.token : search.next;
  const remembered = lastListed && {
    ...lastListed,
    externalIds: lastListed.externalIds?.slice(-REMEMBERED_MAX) ?? null,
  };
  const unbound = { token, lastListed: remembered, boundMs: from.boundMs, notes };
  if (!search.countsPages || lastListed === null || (lastListed.externalIds?.length ?? 0) > REMEMBERED_MAX) return unbound;
  const boundMs = boundAt(lastListed, query);
  return boundMs === from.boundMs ? unbound : { ...unbound, token: null, boundMs };
}

/** The store's own bound that leaves out what was given: `…Before` excludes its time, `…After` includes it. */
const boundAt = ({ timeMs, externalIds }: ListedMark, { sort }: Pick<OrderQuery, 'sort'>): number =>
  sort.startsWith('-') === (externalIds === null) ? timeMs : timeMs + 1;

const BOUNDS = {
  '-created_at': 'createdBefore',
  created_at: 'createdAfter',
  '-updated_at': 'updatedBefore',
  updated_at: 'updatedAfter',
} as const;

/** Whether a store that counts its pages can be asked to count from a time. */
export const supportsBound = (
  { countsPages = false, filters }: Orders,
  { sort }: Pick<OrderQuery, 'sort'>,
): boolean => countsPages && filters.includes(BOUNDS[sort]);

/** What the store is asked for, from the bound on. */
export function applyBound(query: OrderQuery, boundMs: number | null): OrderQuery {
  if (boundMs === null) return query;
  const name = BOUNDS[query.sort];
  const asked = query[name];
  const narrower = asked !== undefined && !comesBefore(asked.getTime(), boundMs, query.sort);
  return narrower ? query : { ...query, [name]: new Date(boundMs) };
}
