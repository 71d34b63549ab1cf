import type { Metrics } from '../analytics/metrics.js';
import type { ConnectionId, DeliveryId, WorkspaceId } from '../ids.js';

/**
 * The metrics of one published delivery, or of an account (`deliveryId` null), as a platform reported them at
 * a time.
 */
export interface Snapshot {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryId: DeliveryId | null;
  readonly metrics: Metrics;
  readonly takenAt: Date;
}

/** The metrics of one account that are due to be read. */
export interface DueMetrics {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryIds: readonly DeliveryId[];
  readonly includesAccount: boolean;
}

/** Stored metrics snapshots: one row per subject and hour, of old ones one per subject and day. */
export interface Snapshots {
  /** The newest snapshot of each of these deliveries. */
  listLatest(
    workspaceId: WorkspaceId,
    deliveryIds: readonly DeliveryId[],
  ): Promise<ReadonlyMap<DeliveryId, Snapshot>>;
  /** The newest account snapshot of each of these connections. */
  listLatestOfAccounts(
    workspaceId: WorkspaceId,
    connectionIds: readonly ConnectionId[],
  ): Promise<ReadonlyMap<ConnectionId, Snapshot>>;
  /** The time of the first snapshot of any of these connections. */
  findFirstTime(workspaceId: WorkspaceId, connectionIds: readonly ConnectionId[]): Promise<Date | null>;
  /** Of several snapshots of a subject in one hour the newest is kept, regardless of their order. */
  insert(snapshots: readonly Snapshot[]): Promise<void>;
  /**
   * Across workspaces, for the worker only: what is due by the snapshot schedule, of at most `limit`
   * connections, together with what is due within the next ten minutes for the same connections, at most 200
   * posts each. Reschedules it: a reading that fails is repeated at its next time, and no other worker claims
   * it. Deleted connections are not scheduled again.
   */
  claimDue(limit: number): Promise<readonly DueMetrics[]>;
}
