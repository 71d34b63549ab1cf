import type { OrderQuery, Orders } from '../ports/platform.js';
import { comesBefore, sortTimeMs } from './order-filter.js';
import type { RemoteOrder } from './order.js';
import type { StoreSearch } from './search-store.js';

/** Where the traversal of one store stands: from which of its pages to go on, and what of it has been given already. */
export interface StorePosition {
  /** The store's own page token; null for its first page. */
  readonly token: string | null;
  /** The last order given: everything before this time, and at this time these orders (null: all), is not given again. */
  readonly given: Given | null;
  /** For a store that counts its pages: it is asked for what has this time or comes later, and counts from there. */
  readonly boundMs: number | null;
  /** What the store has said of the whole list so far. */
  readonly notes: readonly string[];
}

export interface Given {
  readonly timeMs: number;
  readonly externalIds: readonly string[] | null;
}

export const beginning: StorePosition = { token: null, given: null, boundMs: null, notes: [] };

/**
 * So many orders of one time are remembered, since a cursor goes into a query string: a page of a store, which may be read
 * again from its beginning, and half as many that slide onto it meanwhile.
 */
const REMEMBERED_MAX = 150;

/** The same order is met again when the store's pages shift, or when a page is read again from its beginning. */
export function wasGiven(
  order: RemoteOrder,
  given: Given | null,
  { sort }: Pick<OrderQuery, 'sort'>,
): boolean {
  if (given === null) return false;
  const timeMs = sortTimeMs(order, sort);
  if (timeMs !== given.timeMs) return comesBefore(timeMs, given.timeMs, sort);
  return given.externalIds?.includes(order.externalId) ?? true;
}

/** Moves on to this order, remembering all that share its time. */
export function andGiven(given: Given | null, order: RemoteOrder, { sort }: Pick<OrderQuery, 'sort'>): Given {
  const timeMs = sortTimeMs(order, sort);
  const earlier = given?.timeMs === timeMs ? (given.externalIds ?? []) : [];
  return { timeMs, externalIds: [...earlier, order.externalId] };
}

/** Where to go on after so many of what was found have been given. Null at the end of the store. */
export function positionAfter(
  from: StorePosition,
  search: StoreSearch,
  taken: number,
  query: Pick<OrderQuery, 'sort'>,
): StorePosition | null {
  const { found, searchedTo, notes } = search;
  const rest = found[taken];
  if (!rest && search.ended) return null;
  const last = rest
    ? found
        .slice(0, taken)
        .reduce<Given | null>((before, { order }) => andGiven(before, order, query), from.given)
    : searchedTo;
  // What comes next is of another time: of this one nothing follows.
  const passed = rest && last && sortTimeMs(rest.order, query.sort) !== last.timeMs;
  const given = passed ? { ...last, externalIds: null } : last;
  const token = rest ? rest.token : search.next;
  const remembered = given && {
    ...given,
    externalIds: given.externalIds?.slice(-REMEMBERED_MAX) ?? null,
  };
  const on = { token, given: remembered, boundMs: from.boundMs, notes };
  if (!search.countsPages || given === null || (given.externalIds?.length ?? 0) > REMEMBERED_MAX) return on;
  const boundMs = boundAt(given, query);
  return boundMs === from.boundMs ? on : { ...on, token: null, boundMs };
}

/** The store's own bound that leaves out what was given: `…Before` excludes its time, `…After` includes it. */
const boundAt = ({ timeMs, externalIds }: Given, { sort }: Pick<OrderQuery, 'sort'>): number =>
  sort.startsWith('-') === (externalIds === null) ? timeMs : timeMs + 1;

const BOUNDS = {
  '-created_at': 'createdBefore',
  created_at: 'createdAfter',
  '-updated_at': 'updatedBefore',
  updated_at: 'updatedAfter',
} as const;

/** Whether a store that counts its pages can be asked to count from a time. */
export const canBeBound = (
  { countsPages = false, filters }: Orders,
  { sort }: Pick<OrderQuery, 'sort'>,
): boolean => countsPages && filters.includes(BOUNDS[sort]);

/** What the store is asked for, from the bound on. */
export function boundBy(query: OrderQuery, boundMs: number | null): OrderQuery {
  if (boundMs === null) return query;
  const name = BOUNDS[query.sort];
  const asked = query[name];
  const narrower = asked !== undefined && !comesBefore(asked.getTime(), boundMs, query.sort);
  return narrower ? query : { ...query, [name]: new Date(boundMs) };
}
