import type { Call } from '../call.js';
import { failure, refuse, type FailureCode } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { OrderSort } from '../ports/orders.js';
import { ok, type Result } from '../result.js';
import type { Order } from './list-orders.js';
import { connectionKey, encodeOrdersCursor } from './order-cursor.js';
import { sortTimeMs } from './order-filter.js';
import { toOrder } from './to-order.js';
import { mergeOrders } from './order-merge.js';
import { describeSource, type OrderSource } from './order-source.js';
import type { OrderTraversal } from './order-traversal.js';
import type { StoreSearchResult } from './search-store.js';
import { cursorAfter } from './store-cursor.js';

interface OrdersPage {
  readonly items: readonly Order[];
  readonly sources: readonly OrderSource[];
  readonly next: string | null;
}

/**
 * Merges the results of the stores into one page and the position to continue from. A failed store leaves the
 * traversal.
 */
export function mergeStoreResults(
  call: Call,
  { live, done, failed, pageSize }: OrderTraversal,
  results: readonly (Result<StoreSearchResult> | 'timeout')[],
  { sort, limit }: { readonly sort: OrderSort; readonly limit: number },
): Result<OrdersPage, 'orders.all_sources_failed'> {
  const queried = live.map(({ connection, from }, at) => {
    const result = results[at] ?? 'timeout';
    return { connection, from, result, source: describeSource(connection, result, limit) };
  });
  const lanes = queried.flatMap(({ result, ...rest }) =>
    result !== 'timeout' && result.ok ? [{ ...rest, search: result.value }] : [],
  );
  if (queried.length > 0 && lanes.length === 0) return allFailed(queried.map(({ source }) => source));

  const merged = mergeOrders(
    lanes.map(({ search: { matches, ended, searchedTo } }) => ({
      items: matches.map(({ order }) => ({ timeMs: sortTimeMs(order, sort), item: order })),
      ended,
      searchedToMs: searchedTo?.timeMs ?? null,
    })),
    sort,
    limit,
  );
  const after = lanes.map(({ from, search }, at) =>
    cursorAfter(from, search, merged.taken[at] ?? 0, { sort }),
  );
  const listedUntil = new Map(
    lanes.map(({ connection, search }, at) => [
      connection.id,
      listedUntilOf(search, merged.taken[at] ?? 0, sort),
    ]),
  );
  const errors = queried.flatMap(({ connection, source: { error } }) =>
    error ? [{ connection, code: error.code }] : [],
  );
  const next = encodeOrdersCursor({
    pageSize,
    live: new Map(
      lanes.flatMap(({ connection }, at) => (after[at] ? [[connectionKey(connection.id), after[at]]] : [])),
    ),
    done: new Map([
      ...done.map(({ connection, notes }) => [connectionKey(connection.id), notes] as const),
      ...lanes.flatMap(({ connection, search }, at) =>
        after[at] ? [] : [[connectionKey(connection.id), search.notes] as const],
      ),
    ]),
    failed: new Map(
      [...failed, ...errors].map(({ connection, code }) => [connectionKey(connection.id), code]),
    ),
  });
  return ok({
    items: merged.items.flatMap(({ source, item }) => {
      const connection = lanes[source]?.connection;
      return connection ? [toOrder(call, connection, item)] : [];
    }),
    sources: [
      ...queried.map(({ connection, source }) => ({
        ...source,
        searchedBackTo: source.status === 'partial' ? (listedUntil.get(connection.id) ?? null) : null,
      })),
      ...done.map(toFinishedSource),
      ...failed.map(toFailedSource),
    ],
    next: after.some((position) => position !== null) ? next : null,
  });
}

/**
 * All matching orders of the store up to this time are listed: matches that are held back for a later page
 * limit it.
 */
function listedUntilOf(
  { matches, searchedTo }: StoreSearchResult,
  taken: number,
  sort: OrderSort,
): Date | null {
  const rest = matches[taken];
  const timeMs = rest ? sortTimeMs(rest.order, sort) : searchedTo?.timeMs;
  return timeMs === undefined ? null : new Date(timeMs);
}

const toFinishedSource = ({ connection, notes }: OrderTraversal['done'][number]): OrderSource => ({
  connectionId: connection.id,
  platform: connection.platform,
  status: 'ok',
  complete: notes.length === 0,
  searchedBackTo: null,
  notes: notes.map((code) => ({ code })),
  error: null,
});

const toFailedSource = ({ connection, code }: OrderTraversal['failed'][number]): OrderSource => ({
  connectionId: connection.id,
  platform: connection.platform,
  status: 'error',
  complete: false,
  searchedBackTo: null,
  notes: [],
  error: failure(
    code as FailureCode,
    'The store failed on an earlier page and is excluded from the following pages. Start the list again to include it.',
  ),
});

const allFailed = (sources: readonly Omit<OrderSource, 'searchedBackTo'>[]) =>
  refuse(
    'orders.all_sources_failed',
    'No store responded. Nothing was listed; the request can be repeated.',
    {
      retryAfterSeconds: longestWait(sources),
      details: {
        sources: sources.map(({ connectionId, platform, error }) => ({
          connectionId,
          platform,
          code: error?.code,
        })),
      },
      next: reconnectStep(sources),
    },
  );

/** For a single store with an ended grant, the next call is to reconnect it; for several, to list them. */
function reconnectStep(sources: readonly Pick<OrderSource, 'connectionId' | 'error'>[]) {
  const [disconnected, ...others] = sources.filter(({ error }) => error?.code === 'connection.needs_reauth');
  if (!disconnected) return undefined;
  return others.length === 0
    ? nextCall.startConnect({ connection_id: disconnected.connectionId })
    : nextCall.listConnections();
}

/** The longest retry delay that a store requested; undefined when none did. */
const longestWait = (sources: readonly Pick<OrderSource, 'error'>[]): number | undefined => {
  const waits = sources.flatMap(({ error }) => error?.retryAfterSeconds ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
};
