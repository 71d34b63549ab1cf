import { actorName, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { failure, type Failure } from '../failure.js';
import type { ConnectionId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import type { OrderQuery } from '../ports/platform.js';
import { refuseWith, type Result } from '../result.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import { searchStore, type StoreSearchResult } from './search-store.js';
import type { StoreCursor } from './store-cursor.js';

/** How one store took part in a list. */
export interface OrderSource {
  readonly connectionId: ConnectionId;
  readonly platform: string;
  readonly status: 'ok' | 'partial' | 'timeout' | 'error';
  /** Whether nothing that fits is missing between the beginning of the list and the end of this page. */
  readonly complete: boolean;
  /** For a search that stopped before it found enough: everything that fits up to this time is in the list. */
  readonly searchedBackTo: Date | null;
  readonly notes: readonly { readonly code: string }[];
  readonly error: Failure | null;
}

const TIMEOUT_MS = 10_000;

/** Asks one store, for ten seconds at most. A store that is slower is given up, and its request with it. */
export async function queryStore(
  ports: Pick<Ports, 'clock' | 'platforms' | 'sessions'>,
  call: Call,
  connection: Connection,
  request: {
    readonly query: OrderQuery;
    readonly from: StoreCursor;
    readonly maxOrders: number;
    readonly pageSize: number;
  },
): Promise<Result<StoreSearchResult> | 'timeout'> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  call.signal.addEventListener('abort', abort);
  try {
    return await Promise.race([
      runSearch(ports, actorName(call), connection, request, stop.signal),
      ports.clock.sleep(TIMEOUT_MS, stop.signal).then(() => 'timeout' as const),
    ]);
  } finally {
    call.signal.removeEventListener('abort', abort);
    abort();
  }
}

async function runSearch(
  ports: Pick<Ports, 'clock' | 'platforms' | 'sessions'>,
  actor: string,
  connection: Connection,
  request: {
    readonly query: OrderQuery;
    readonly from: StoreCursor;
    readonly maxOrders: number;
    readonly pageSize: number;
  },
  signal: AbortSignal,
): Promise<Result<StoreSearchResult>> {
  const orders = ports.platforms.find(connection.platform)?.orders;
  if (!orders) return refuseWith(failure('platform.not_configured', 'This platform is not set up here.'));
  const session = await ports.sessions.open(connection, { purpose: 'orders', actor }, signal);
  if (!session.ok) return session;
  const store = { orders, session: session.value };
  return catchAdapterErrors(() => searchStore(ports.clock, store, request));
}

/** Which of the asked filters a store leaves to us. */
export const hasAllFilters = (filters: readonly (keyof OrderQuery)[], query: OrderQuery): boolean =>
  (Object.keys(query) as (keyof OrderQuery)[]).every(
    (name) => name === 'sort' || query[name] === undefined || filters.includes(name),
  );

export function describeSource(
  connection: Connection,
  result: Result<StoreSearchResult> | 'timeout',
  maxOrders: number,
): Omit<OrderSource, 'searchedBackTo'> {
  const source = { connectionId: connection.id, platform: connection.platform };
  if (result === 'timeout') return { ...source, ...missing, status: 'timeout', error: storeTimeout() };
  if (!result.ok) return { ...source, ...missing, status: 'error', error: result.failure };
  const { matches: found, ended, notes } = result.value;
  const isPartial = !ended && found.length < maxOrders;
  return {
    ...source,
    status: isPartial ? 'partial' : 'ok',
    complete: !isPartial && notes.length === 0,
    notes: notes.map((code) => ({ code })),
    error: null,
  };
}

const missing = { complete: false, notes: [] } as const;

export const storeTimeout = () =>
  failure('platform.unavailable', `The store did not answer within ${TIMEOUT_MS / 1000} seconds.`);
