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

/** Stored metrics snapshots: one row per subject and hour. */
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
}
