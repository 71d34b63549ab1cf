import { actorName, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { learnPermissions, type LearnPorts } from '../connections/learn-permissions.js';
import { failure, type Failure } from '../failure.js';
import type { ConnectionId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import type { OrderQuery } from '../ports/orders.js';
import type { OrderNoteCode } from '../reason-codes.js';
import { refuseWith, type Result } from '../result.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import { searchStore, type StoreSearch, type StoreSearchResult } from './search-store.js';

/** How one store contributed to a list. */
export interface OrderSource {
  readonly connectionId: ConnectionId;
  readonly platform: string;
  readonly status: 'ok' | 'partial' | 'timeout' | 'error';
  /** Whether the list up to the end of this page contains every matching order of the store. */
  readonly complete: boolean;
  /** For a search that stopped before it found enough: the list contains all matches up to this time. */
  readonly searchedBackTo: Date | null;
  readonly notes: readonly { readonly code: OrderNoteCode }[];
  readonly error: Failure | null;
}

const TIMEOUT_MS = 10_000;

export type QueryStorePorts = Pick<Ports, 'platforms' | 'sessions'> & LearnPorts;

/** Queries one store, with a timeout of ten seconds that also aborts its request. */
export async function queryStore(
  ports: QueryStorePorts,
  call: Pick<Call, 'actor' | 'signal'>,
  connection: Connection,
  request: StoreSearch,
): Promise<Result<StoreSearchResult> | 'timeout'> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  call.signal.addEventListener('abort', abort);
  try {
    return await Promise.race([
      runSearch(ports, actorName(call), connection, request, stop.signal),
      ports.clock.sleep(TIMEOUT_MS, stop.signal).then(() => {
        abort();
        return 'timeout' as const;
      }),
    ]);
  } finally {
    call.signal.removeEventListener('abort', abort);
    // Ends the sleep. Without a reason it would create an error.
    stop.abort('completed');
  }
}

async function runSearch(
  ports: QueryStorePorts,
  actor: string,
  connection: Connection,
  request: StoreSearch,
  signal: AbortSignal,
): Promise<Result<StoreSearchResult>> {
  const { orders, manifest } = ports.platforms.find(connection.platform) ?? {};
  if (!orders || !manifest)
    return refuseWith(failure('platform.not_configured', 'This platform is not configured here.'));
  const session = await ports.sessions.open(connection, { purpose: 'orders', actor }, signal);
  if (!session.ok) return session;
  const store = { orders, session: session.value };
  const found = await catchAdapterErrors(() => searchStore(ports.clock, store, request));
  await learnPermissions(ports, manifest, connection, 'orders', found.ok ? 'ok' : found.failure.code);
  return found;
}

/** Whether the store applies all of the requested filters itself. */
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
  const { matches, ended, notes } = result.value;
  const isPartial = !ended && matches.length < maxOrders;
  return {
    ...source,
    status: isPartial ? 'partial' : 'ok',
    complete: !isPartial && notes.length === 0,
    notes: notes.map((code) => ({ code })),
    error: null,
  };
}

const missing = { complete: false, notes: [] } as const;

const storeTimeout = () =>
  failure('platform.unavailable', `The store did not respond within ${TIMEOUT_MS / 1000} seconds.`);
