import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { StoreWebhook } from '../orders/store-webhook.js';

/** The webhooks that stores send for the watched orders of a connection, and the deliveries that were received. */
export interface StoreWebhooks {
  find(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<StoreWebhook | null>;
  /** Across workspaces, for a request without a key: that of the address in its URL. */
  findByAddress(address: string): Promise<StoreWebhook | null>;
  /**
   * Makes it due now: to be registered, or removed if the orders of the connection are no longer watched. `create` adds
   * it with this address if there is none.
   */
  wake(
    key: Pick<StoreWebhook, 'workspaceId' | 'connectionId'>,
    create: { readonly address: string } | null,
  ): Promise<void>;
  /**
   * Across workspaces: connections with watched orders that have none, of these connect methods of platforms
   * (`platform connect_method`).
   */
  listMissing(
    connectMethods: readonly string[],
    limit: number,
  ): Promise<readonly Pick<StoreWebhook, 'workspaceId' | 'connectionId'>[]>;
  /**
   * Across workspaces, for the worker only: those that are due, longest due first, each for `leaseSeconds` only for this
   * caller. Those of accounts that must be reconnected wait for that.
   */
  claimDue(limit: number, leaseSeconds: number): Promise<readonly StoreWebhook[]>;
  /** Stores the progress of a claim, and when it is due again. False when its fence has changed. */
  settle(webhook: StoreWebhook, nextAttemptAt: Date): Promise<boolean>;
  /** With its deliveries. False when its fence has changed. */
  delete(webhook: Pick<StoreWebhook, 'workspaceId' | 'connectionId' | 'fence'>): Promise<boolean>;
  /** False when it was received before, or the webhook has been deleted. Deliveries are remembered for `DELIVERY_DAYS` days. */
  recordDelivery(
    key: Pick<StoreWebhook, 'workspaceId' | 'connectionId'>,
    deliveryId: string,
  ): Promise<boolean>;
}
