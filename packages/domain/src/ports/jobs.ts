import type { StoreWebhook } from '../orders/store-webhook.js';
import type { ConnectionId, MediaId, ProfileId, RefundId, WorkspaceId } from '../ids.js';

/**
 * Deferred work. The tables are authoritative and a job is only a hint: a lost job delays the work, a
 * duplicate changes nothing.
 */
export type Job =
  /** Wakes a worker for deliveries that are due now. A sweep finds later ones, and every retry, when due. */
  | { readonly name: 'deliver'; readonly workspaceId: WorkspaceId }
  | { readonly name: 'fetch_media'; readonly workspaceId: WorkspaceId; readonly mediaId: MediaId }
  | { readonly name: 'settle_refund'; readonly workspaceId: WorkspaceId; readonly refundId: RefundId }
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
      /** The store's webhooks, which are removed first. */
      readonly webhook?: Pick<StoreWebhook, 'address' | 'externalIds'> | undefined;
    }
  /** Reads an order of which its store sent a webhook. */
  | {
      readonly name: 'read_order';
      readonly workspaceId: WorkspaceId;
      readonly connectionId: ConnectionId;
      readonly externalId: string;
    };

/** Joins the transaction in which it is used: the job exists if and only if the change commits. */
export interface Jobs {
  enqueue(job: Job, when?: { readonly startAfter?: Date | undefined }): Promise<void>;
}
