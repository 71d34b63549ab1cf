import type { Call } from '../call.js';
import { failure, refuse, type FailureCode } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { OrderSort } from '../ports/platform.js';
import { ok, type Result } from '../result.js';
import type { Order } from './list-orders.js';
import { sourceKey, writePosition } from './order-cursor.js';
import { sortTimeMs } from './order-filter.js';
import { orderOf } from './order-of.js';
import { mergeOrders } from './order-merge.js';
import { sourceOf, type OrderSource } from './order-source.js';
import type { Traversal } from './order-traversal.js';
import type { StoreSearch } from './search-store.js';
import { positionAfter } from './store-position.js';

interface OrdersPage {
  readonly items: readonly Order[];
  readonly sources: readonly OrderSource[];
  readonly next: string | null;
}

/** One page out of what the stores answered, and where to go on. A store that failed leaves the traversal. */
export function mergeAnswers(
  call: Call,
  { live, done, failed, pageSize }: Traversal,
  answers: readonly (Result<StoreSearch> | 'timeout')[],
  { sort, limit }: { readonly sort: OrderSort; readonly limit: number },
): Result<OrdersPage, 'orders.all_sources_failed'> {
  const asked = live.map(({ connection, from }, at) => {
    const answer = answers[at] ?? 'timeout';
    return { connection, from, answer, source: sourceOf(connection, answer, limit) };
  });
  const lanes = asked.flatMap(({ answer, ...rest }) =>
    answer !== 'timeout' && answer.ok ? [{ ...rest, search: answer.value }] : [],
  );
  if (asked.length > 0 && lanes.length === 0) return allFailed(asked.map(({ source }) => source));

  const merged = mergeOrders(
    lanes.map(({ search: { found, ended, searchedTo } }) => ({
      items: found.map(({ order }) => ({ timeMs: sortTimeMs(order, sort), item: order })),
      ended,
      searchedToMs: searchedTo?.timeMs ?? null,
    })),
    sort,
    limit,
  );
  const after = lanes.map(({ from, search }, at) =>
    positionAfter(from, search, merged.taken[at] ?? 0, { sort }),
  );
  const listedTo = new Map(
    lanes.map(({ connection, search }, at) => [
      connection.id,
      listedToOf(search, merged.taken[at] ?? 0, sort),
    ]),
  );
  const errors = asked.flatMap(({ connection, source: { error } }) =>
    error ? [{ connection, code: error.code }] : [],
  );
  const next = writePosition({
    pageSize,
    live: new Map(
      lanes.flatMap(({ connection }, at) => (after[at] ? [[sourceKey(connection.id), after[at]]] : [])),
    ),
    done: new Map([
      ...done.map(({ connection, notes }) => [sourceKey(connection.id), notes] as const),
      ...lanes.flatMap(({ connection, search }, at) =>
        after[at] ? [] : [[sourceKey(connection.id), search.notes] as const],
      ),
    ]),
    failed: new Map([...failed, ...errors].map(({ connection, code }) => [sourceKey(connection.id), code])),
  });
  return ok({
    items: merged.items.flatMap(({ lane, item }) => {
      const connection = lanes[lane]?.connection;
      return connection ? [orderOf(call, connection, item)] : [];
    }),
    sources: [
      ...asked.map(({ connection, source }) => ({
        ...source,
        searchedBackTo: source.status === 'partial' ? (listedTo.get(connection.id) ?? null) : null,
      })),
      ...done.map(finished),
      ...failed.map(gone),
    ],
    next: after.some((position) => position !== null) ? next : null,
  });
}

/** Before this time the store has nothing that fits and is not in the list: what was found and did not come to its turn counts. */
function listedToOf({ found, searchedTo }: StoreSearch, taken: number, sort: OrderSort): Date | null {
  const rest = found[taken];
  const timeMs = rest ? sortTimeMs(rest.order, sort) : searchedTo?.timeMs;
  return timeMs === undefined ? null : new Date(timeMs);
}

const finished = ({ connection, notes }: Traversal['done'][number]): OrderSource => ({
  connectionId: connection.id,
  platform: connection.platform,
  status: 'ok',
  complete: notes.length === 0,
  searchedBackTo: null,
  notes: notes.map((code) => ({ code })),
  error: null,
});

const gone = ({ connection, code }: Traversal['failed'][number]): OrderSource => ({
  connectionId: connection.id,
  platform: connection.platform,
  status: 'error',
  complete: false,
  searchedBackTo: null,
  notes: [],
  error: failure(
    code as FailureCode,
    'The store failed on an earlier page and is left out since. Begin the list again to ask it.',
  ),
});

const allFailed = (sources: readonly Omit<OrderSource, 'searchedBackTo'>[]) =>
  refuse(
    'orders.all_sources_failed',
    'None of the stores answered. Nothing was listed; the same request may be sent again.',
    {
      retryAfterSeconds: longestWait(sources),
      details: {
        sources: sources.map(({ connectionId, platform, error }) => ({
          connectionId,
          platform,
          code: error?.code,
        })),
      },
      next: reconnectOf(sources),
    },
  );

/** One store that cannot be asked any more is connected again; of several, whoever asks sees which. */
function reconnectOf(sources: readonly Pick<OrderSource, 'connectionId' | 'error'>[]) {
  const [dead, ...others] = sources.filter(({ error }) => error?.code === 'connection.needs_reauth');
  if (!dead) return undefined;
  return others.length === 0
    ? nextCall.startConnect({ connection_id: dead.connectionId })
    : nextCall.listConnections();
}

/** When every store that asked for time has had it; undefined when none did. */
const longestWait = (sources: readonly Pick<OrderSource, 'error'>[]): number | undefined => {
  const waits = sources.flatMap(({ error }) => error?.retryAfterSeconds ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
};
