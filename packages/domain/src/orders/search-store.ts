import type { Clock } from '../ports/clock.js';
import type { OrderQuery, Orders } from '../ports/orders.js';
import type { PlatformFailureCode, Session } from '../ports/session.js';
import type { OrderNoteCode } from '../reason-codes.js';
import { ok, type Result } from '../result.js';
import { matchesQuery, isPastEnd } from './order-filter.js';
import type { RemoteOrder } from './order.js';
import {
  advanceMark,
  applyBound,
  supportsBound,
  wasListed,
  type ListedMark,
  type StoreCursor,
} from './store-cursor.js';

/** Pages of 100 for a search on this side, because most results are discarded. */
export const SEARCH_PAGE_SIZE = 100;

/**
 * The maximum number of store pages that are searched for one page of the list, when the store's own filters
 * do not suffice.
 */
const MAX_PAGES = 10;
const MAX_SEARCH_MS = 5_000;

interface MatchedOrder {
  readonly order: RemoteOrder;
  /** The store page that contains it. */
  readonly token: string | null;
}

export interface StoreSearch {
  readonly query: OrderQuery;
  readonly from: StoreCursor;
  readonly maxOrders: number;
  readonly pageSize: number;
}

export interface StoreSearchResult {
  readonly matches: readonly MatchedOrder[];
  readonly ended: boolean;
  /** The page to continue with. */
  readonly next: string | null;
  /** Where the search stopped: the last inspected order, whether it matches or not. */
  readonly searchedTo: ListedMark | null;
  /** All notes of the store since the beginning of the list. */
  readonly notes: readonly OrderNoteCode[];
  /** Its page tokens count from the bound and are meaningless for another one. */
  readonly countsPages: boolean;
}

/** Reads from a position until `wanted` orders match, the store ends, or the page budget is used up. */
export async function searchStore(
  clock: Clock,
  store: { readonly orders: Orders; readonly session: Session },
  { query, from, maxOrders, pageSize }: StoreSearch,
): Promise<Result<StoreSearchResult, PlatformFailureCode>> {
  const startedMs = clock.now().getTime();
  const seen = new Set<string>();
  const matches: MatchedOrder[] = [];
  const notes = new Set(from.notes);
  const countsPages = supportsBound(store.orders, query);
  const boundedQuery = applyBound(query, from.boundMs);
  let token = from.token;
  let ended = false;
  let searchedTo = from.lastListed;
  for (let pages = 0; pages < MAX_PAGES && matches.length < maxOrders && !ended; pages++) {
    if (clock.now().getTime() - startedMs > MAX_SEARCH_MS) break;
    const page = await store.orders.list(store.session, boundedQuery, {
      // One more than wanted shows whether others share the last one's time.
      limit: countsPages ? Math.min(SEARCH_PAGE_SIZE, pageSize + 1) : pageSize,
      token: token ?? undefined,
    });
    // Results from before a rate limit are kept, and the list continues from there.
    if (!page.ok && page.failure.code === 'platform.rate_limited' && pages > 0) break;
    if (!page.ok) return page;
    for (const note of page.value.notes ?? []) notes.add(note);
    for (const order of page.value.orders) {
      if (seen.has(order.externalId) || wasListed(order, from.lastListed, query)) continue;
      seen.add(order.externalId);
      searchedTo = advanceMark(searchedTo, order, query);
      if (matchesQuery(order, query)) matches.push({ order, token });
      ended ||= isPastEnd(order, query);
    }
    ended ||= page.value.next === undefined;
    token = page.value.next ?? null;
  }
  return ok({ matches, ended, next: token, searchedTo, notes: [...notes], countsPages });
}
