import type { ConnectionId, DeliveryId, MediaId, ProfileId, RefundId, WorkspaceId } from '../ids.js';

/**
 * Deferred work. The tables are authoritative and a job is only a hint: a lost job delays the work, a
 * duplicate changes nothing.
 */
export type Job =
  | { readonly name: 'deliver'; readonly workspaceId: WorkspaceId; readonly deliveryId: DeliveryId }
  | {
      readonly name: 'read_back_delivery';
      readonly workspaceId: WorkspaceId;
      readonly deliveryId: DeliveryId;
    }
  | { readonly name: 'fetch_media'; readonly workspaceId: WorkspaceId; readonly mediaId: MediaId }
  | { readonly name: 'settle_refund'; readonly workspaceId: WorkspaceId; readonly refundId: RefundId }
  | {
      readonly name: 'take_snapshots';
      readonly workspaceId: WorkspaceId;
      readonly connectionId: ConnectionId;
    }
  | {
      readonly name: 'revoke_grant';
      readonly workspaceId: WorkspaceId;
      readonly connectionId: ConnectionId;
      readonly profileId: ProfileId;
      readonly platform: string;
      readonly connectMethod: string;
      readonly server: string | null;
      readonly generation: number;
      /** The platform's id of the account; omitted when unknown. */
      readonly accountId?: string | undefined;
      /** The sealed credential itself: its row is gone when the job runs. */
      readonly sealed: Uint8Array;
    };

/** Joins the transaction in which it is used: the job exists if and only if the change commits. */
export interface Jobs {
  enqueue(job: Job, when?: { readonly startAfter?: Date | undefined }): Promise<void>;
}
