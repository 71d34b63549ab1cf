import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { OrderWatch } from '../orders/order-watch.js';

/** What is known of a version of an order: that of its content. Nothing of the order itself is stored. */
export interface OrderVersion {
  readonly externalId: string;
  readonly digest: string;
  /** Whether there is an event for it: none for what existed before the watch began. */
  readonly isReported: boolean;
}

/** The stores whose orders are watched, and the versions of their orders that were seen. */
export interface OrderWatches {
  find(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<OrderWatch | null>;
  /**
   * Begins to watch, or begins again with `since` where that is earlier: the versions that were reported stay known,
   * the others are forgotten.
   */
  start(watch: Pick<OrderWatch, 'connectionId' | 'workspaceId' | 'since'>): Promise<void>;
  /** Ends the watch and forgets the versions. */
  delete(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<void>;
  /**
   * Across workspaces, for the worker only: the watches that are due, longest due first, each for `leaseSeconds` only
   * for this caller. Those of accounts that must be reconnected wait for that.
   */
  claimDue(limit: number, leaseSeconds: number): Promise<readonly OrderWatch[]>;
  /**
   * Stores the versions that were not seen before, and returns whether each of them is the first of its order. The
   * last `VERSIONS_MAX` of an order are known.
   */
  addVersions(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    versions: readonly OrderVersion[],
  ): Promise<ReadonlyMap<string, { readonly isFirst: boolean }>>;
  /** Stores that a change was found now. */
  noteChange(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<void>;
  /** Stores the progress of a claimed watch, and when it is due again. False when its fence has changed. */
  settle(watch: OrderWatch, nextPollAt: Date): Promise<boolean>;
}
