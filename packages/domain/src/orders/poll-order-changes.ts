import { mapSettled } from '../map-settled.js';
import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { queryStore, type QueryStorePorts } from './order-source.js';
import { backoffMs, beginReading, POLL_MS, SWEEP_EVERY_MS, type OrderWatch } from './order-watch.js';
import { recordOrders, type RecordOrdersPorts } from './record-orders.js';
import { SEARCH_PAGE_SIZE } from './search-store.js';
import { cursorAfter, startCursor, type StoreCursor } from './store-cursor.js';

type PollPorts = QueryStorePorts & RecordOrdersPorts & Pick<Ports, 'connections'>;

/** The stores that are read concurrently. */
const STORES_MAX = 20;
/** A store responds within ten seconds or not at all; then its orders are stored. */
const LEASE_SECONDS = 60;
/** The orders that one reading returns at most, stored by a transaction for each page. */
const ORDERS_MAX = 10 * SEARCH_PAGE_SIZE;

/** Reads the watched stores that are due, until none is. The failure of one does not affect the others. */
export async function pollOrderChanges(
  ports: PollPorts,
  stop: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!stop.aborted) {
    const claimed = await ports.transactions.run(async (tx) =>
      ok(await tx.orderWatches.claimDue(STORES_MAX, LEASE_SECONDS)),
    );
    const due = claimed.ok ? claimed.value : [];
    if (due.length === 0) return;
    await mapSettled(
      due,
      stop,
      async (watch) => {
        const next = await readStore(ports, watch, stop);
        if (next)
          await ports.transactions.run(async (tx) => ok(await tx.orderWatches.settle(next.watch, next.at)));
      },
      STORES_MAX,
    ).catch(onError);
  }
}

/** The progress, and when the store is due again. Null when its orders are no longer watched. */
async function readStore(
  ports: PollPorts,
  watch: OrderWatch,
  stop: AbortSignal,
): Promise<{ readonly watch: OrderWatch; readonly at: Date } | null> {
  const connection = await ports.connections.find(watch.workspaceId, watch.connectionId);
  if (!connection?.watchOrders) return null;
  const startedAt = ports.clock.now();
  const reading = watch.reading ?? beginReading(watch, startedAt);
  const from = reading.cursor ?? startCursor;
  const query = { sort: 'updated_at', updatedAfter: new Date(reading.fromMs) } as const;
  const found = await queryStore(
    ports,
    { actor: { kind: 'system', name: 'worker' }, signal: stop },
    connection,
    { query, from, maxOrders: ORDERS_MAX, pageSize: SEARCH_PAGE_SIZE },
  );
  if (found === 'timeout' || !found.ok) {
    const retryAfter = found === 'timeout' ? undefined : found.failure.retryAfterSeconds;
    const failed = {
      ...watch,
      reading: reading.cursor && { ...reading, cursor: withoutToken(reading.cursor) },
      failures: watch.failures + 1,
    };
    return { watch: failed, at: ports.clock.after(backoffMs(failed.failures, retryAfter)) };
  }
  const { matches, ended } = found.value;
  for (let start = 0; start < matches.length; start += SEARCH_PAGE_SIZE) {
    const orders = matches.slice(start, start + SEARCH_PAGE_SIZE).map(({ order }) => order);
    if ((await recordOrders(ports, watch, orders)) === null) return null;
  }
  const newestMs = Math.max(
    ...matches.map(({ order }) => order.updatedAt.getTime()),
    watch.position.getTime(),
  );
  const progressed = { ...watch, failures: 0 };
  if (!ended) {
    const cursor = cursorAfter(from, found.value, matches.length, query);
    return { watch: { ...progressed, reading: { ...reading, cursor } }, at: ports.clock.now() };
  }
  const done = {
    ...progressed,
    reading: null,
    isBaselined: true,
    ...(!watch.isBaselined && { foundAt: startedAt }),
    // Never beyond our clock: that of the store may be ahead, and be set back.
    position: new Date(Math.max(watch.position.getTime(), Math.min(newestMs, startedAt.getTime()))),
    ...(reading.isSweep && { nextSweepAt: new Date(startedAt.getTime() + SWEEP_EVERY_MS) }),
  };
  return { watch: done, at: ports.clock.after(POLL_MS) };
}

/** Continues from the time of the last order: a page token may no longer be valid. */
const withoutToken = (cursor: StoreCursor): StoreCursor => ({
  ...cursor,
  token: null,
  boundMs: cursor.lastListed?.timeMs ?? null,
});
