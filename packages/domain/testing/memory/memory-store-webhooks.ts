import type { ConnectionId, WorkspaceId } from '../../src/ids.js';
import type { StoreWebhook } from '../../src/orders/store-webhook.js';
import type { Clock, StoreWebhooks } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

export type StoredStoreWebhook = StoreWebhook & { readonly nextAttemptAt: Date };

export function memoryStoreWebhooks(state: MemoryState, clock: Clock): StoreWebhooks {
  const find = (workspaceId: WorkspaceId, connectionId: ConnectionId) => {
    const webhook = state.storeWebhooks.get(connectionId);
    return webhook?.workspaceId === workspaceId ? webhook : null;
  };
  return {
    find: async (workspaceId, connectionId) => {
      const webhook = find(workspaceId, connectionId);
      return webhook && toWebhook(webhook);
    },
    findByAddress: async (address) => {
      const webhook = [...state.storeWebhooks.values()].find((one) => one.address === address);
      return webhook ? toWebhook(webhook) : null;
    },
    wake: async ({ workspaceId, connectionId }, create) => {
      const known = find(workspaceId, connectionId);
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
          nextAttemptAt: clock.now(),
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
    claimDue: async (limit, leaseSeconds) => {
      const due = [...state.storeWebhooks.values()]
        .filter(
          ({ nextAttemptAt, connectionId }) =>
            nextAttemptAt <= clock.now() && state.connections.get(connectionId)?.status !== 'needs_reauth',
        )
        .sort((a, b) => a.nextAttemptAt.getTime() - b.nextAttemptAt.getTime())
        .slice(0, limit)
        .map((webhook) => ({
          ...webhook,
          fence: webhook.fence + 1,
          nextAttemptAt: clock.after(leaseSeconds * 1000),
        }));
      for (const webhook of due) state.storeWebhooks.set(webhook.connectionId, webhook);
      return due.map(toWebhook);
    },
    settle: async (webhook, nextAttemptAt) => {
      if (find(webhook.workspaceId, webhook.connectionId)?.fence !== webhook.fence) return false;
      state.storeWebhooks.set(webhook.connectionId, { ...webhook, nextAttemptAt });
      return true;
    },
    delete: async ({ workspaceId, connectionId, fence }) => {
      if (find(workspaceId, connectionId)?.fence !== fence) return false;
      forgetStoreWebhook(state, connectionId);
      return true;
    },
    recordDelivery: async ({ workspaceId, connectionId }, deliveryId) => {
      const key = `${connectionId} ${deliveryId}`;
      if (!find(workspaceId, connectionId) || state.storeWebhookDeliveries.has(key)) return false;
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

const toWebhook = ({ nextAttemptAt: _, ...webhook }: StoredStoreWebhook): StoreWebhook => webhook;
