import type { ConnectionId } from '../../src/ids.js';
import type { StoreWebhook } from '../../src/orders/store-webhook.js';
import type { Clock, StoreWebhooks } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';
import { claimTasks, findOwned, type ConnectionTask } from './rows.js';

export type StoredStoreWebhook = StoreWebhook & ConnectionTask;

export function memoryStoreWebhooks(state: MemoryState, clock: Clock): StoreWebhooks {
  return {
    find: async (workspaceId, connectionId) => {
      const webhook = findOwned(state.storeWebhooks, workspaceId, connectionId);
      return webhook && toWebhook(webhook);
    },
    findByAddress: async (address) => {
      const webhook = [...state.storeWebhooks.values()].find((one) => one.address === address);
      return webhook ? toWebhook(webhook) : null;
    },
    wake: async ({ workspaceId, connectionId }, create) => {
      const known = findOwned(state.storeWebhooks, workspaceId, connectionId);
      const added = create && {
        workspaceId,
        connectionId,
        address: create.address,
        sealedSecret: null,
        generation: 0,
        externalIds: [],
        failures: 0,
        fence: 0,
      };
      const webhook = known ?? added;
      if (webhook)
        state.storeWebhooks.set(connectionId, {
          ...webhook,
          failures: 0,
          fence: webhook.fence + 1,
          dueAt: clock.now(),
        });
    },
    listMissing: async (connectMethods, limit) =>
      [...state.orderWatches.values()]
        .filter(({ connectionId }) => {
          const connection = state.connections.get(connectionId);
          return (
            connection &&
            connectMethods.includes(`${connection.platform} ${connection.connectMethod}`) &&
            !state.storeWebhooks.has(connectionId)
          );
        })
        .slice(0, limit)
        .map(({ workspaceId, connectionId }) => ({ workspaceId, connectionId })),
    claimDue: async (limit, leaseSeconds) =>
      claimTasks(state.storeWebhooks, state.connections, clock, limit, leaseSeconds).map(toWebhook),
    settle: async (webhook, dueAt) => {
      if (findOwned(state.storeWebhooks, webhook.workspaceId, webhook.connectionId)?.fence !== webhook.fence)
        return false;
      state.storeWebhooks.set(webhook.connectionId, { ...webhook, dueAt });
      return true;
    },
    delete: async ({ workspaceId, connectionId, fence }) => {
      if (findOwned(state.storeWebhooks, workspaceId, connectionId)?.fence !== fence) return false;
      forgetStoreWebhook(state, connectionId);
      return true;
    },
    recordDelivery: async ({ workspaceId, connectionId }, deliveryId) => {
      const key = `${connectionId} ${deliveryId}`;
      if (!findOwned(state.storeWebhooks, workspaceId, connectionId) || state.storeWebhookDeliveries.has(key))
        return false;
      state.storeWebhookDeliveries.set(key, connectionId);
      return true;
    },
  };
}

export function forgetStoreWebhook(state: MemoryState, id: ConnectionId): void {
  state.storeWebhooks.delete(id);
  for (const [key, connectionId] of state.storeWebhookDeliveries)
    if (connectionId === id) state.storeWebhookDeliveries.delete(key);
}

const toWebhook = ({ dueAt: _, ...webhook }: StoredStoreWebhook): StoreWebhook => webhook;
