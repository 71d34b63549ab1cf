import type { ConnectionId } from '../../src/ids.js';
import { SWEEP_MS, VERSIONS_MAX, type OrderWatch } from '../../src/orders/order-watch.js';
import type { Clock, OrderWatches } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';
import { claimTasks, findOwned, type ConnectionTask } from './rows.js';

export type StoredOrderWatch = OrderWatch & ConnectionTask;

/** The versions of one order, newest first. */
export interface StoredOrderVersions {
  readonly connectionId: ConnectionId;
  readonly digests: readonly string[];
  readonly isReported: boolean;
}

export function memoryOrderWatches(state: MemoryState, clock: Clock): OrderWatches {
  return {
    find: async (workspaceId, connectionId) => {
      const watch = findOwned(state.orderWatches, workspaceId, connectionId);
      return watch && toWatch(watch);
    },
    start: async ({ workspaceId, connectionId, since }) => {
      const known = findOwned(state.orderWatches, workspaceId, connectionId);
      const from = known && known.since < since ? known.since : since;
      for (const [key, { connectionId: of, isReported }] of state.watchedOrders)
        if (of === connectionId && !isReported) state.watchedOrders.delete(key);
      state.orderWatches.set(connectionId, {
        workspaceId,
        connectionId,
        since: from,
        isBaselined: false,
        position: new Date(from.getTime() - SWEEP_MS),
        reading: null,
        foundAt: clock.now(),
        nextSweepAt: clock.now(),
        failures: 0,
        fence: (known?.fence ?? 0) + 1,
        dueAt: clock.now(),
      });
    },
    delete: async (workspaceId, connectionId) => {
      if (findOwned(state.orderWatches, workspaceId, connectionId)) forgetWatch(state, connectionId);
    },
    claimDue: async (limit, leaseSeconds) =>
      claimTasks(state.orderWatches, state.connections, clock, limit, leaseSeconds).map(toWatch),
    addVersions: async (_, connectionId, versions) => {
      const added = new Map<string, { readonly isFirst: boolean }>();
      for (const { externalId, digest, isReported } of versions) {
        const key = `${connectionId} ${externalId}`;
        const known = state.watchedOrders.get(key);
        if (known?.digests.includes(digest)) continue;
        added.set(externalId, { isFirst: !known });
        state.watchedOrders.set(key, {
          connectionId,
          digests: [digest, ...(known?.digests ?? [])].slice(0, VERSIONS_MAX),
          isReported: isReported || (known?.isReported ?? false),
        });
      }
      return added;
    },
    noteChange: async (workspaceId, connectionId) => {
      const watch = findOwned(state.orderWatches, workspaceId, connectionId);
      if (watch) state.orderWatches.set(connectionId, { ...watch, foundAt: clock.now() });
    },
    settle: async (watch, dueAt) => {
      const before = findOwned(state.orderWatches, watch.workspaceId, watch.connectionId);
      if (before?.fence !== watch.fence) return false;
      const foundAt = before.foundAt > watch.foundAt ? before.foundAt : watch.foundAt;
      state.orderWatches.set(watch.connectionId, { ...watch, foundAt, dueAt });
      return true;
    },
  };
}

export function forgetWatch(state: MemoryState, id: ConnectionId): void {
  state.orderWatches.delete(id);
  for (const [key, { connectionId }] of state.watchedOrders)
    if (connectionId === id) state.watchedOrders.delete(key);
}

const toWatch = ({ dueAt: _, ...watch }: StoredOrderWatch): OrderWatch => watch;
