import type { Approval, ApprovalKind, ApprovalStatus } from '../approvals/approval.js';
import type { ApprovalId, ConnectionId, PostId, ProfileId, RefundId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

/**
 * Requests for a person's decision. A post or a refund has at most one that is pending. Its representation
 * (`Post.approval`, `Refund.approval`) shows the latest one, and changes in the same transaction.
 *
 * A decision is made under a lock, in this order: the post (`Posts.lock`) or the ledger of the order
 * (`Ledger.lock`) first, then the approval.
 */
export interface Approvals {
  find(workspaceId: WorkspaceId, id: ApprovalId): Promise<Approval | null>;
  /** Those that exist, in no order. */
  listByIds(workspaceId: WorkspaceId, ids: readonly ApprovalId[]): Promise<readonly Approval[]>;
  /** Newest first. */
  list(workspaceId: WorkspaceId, filter: ApprovalFilter, page: PageRequest): Promise<Rows<Approval>>;
  /** All approvals of these posts and refunds, newest first. Across workspaces, for the worker. */
  listOf(subjects: readonly (PostId | RefundId)[]): Promise<readonly Approval[]>;
  /** The pending ones of posts with a delivery to this connection. */
  listPendingOf(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly Approval[]>;
  /** For the worker, across workspaces: pending ones whose time has passed by the database's clock. */
  listExpired(
    limit: number,
  ): Promise<readonly { readonly id: ApprovalId; readonly workspaceId: WorkspaceId }[]>;
  /** Across workspaces: how many are pending of each kind. A kind without any is omitted. */
  countPending(): Promise<readonly PendingApprovals[]>;
  insert(approval: Approval): Promise<void>;
  /** Reads an approval and locks it until the transaction ends. */
  lock(workspaceId: WorkspaceId, id: ApprovalId): Promise<Approval | null>;
  /** Ends a pending approval. False, and nothing is written, when it is no longer pending. */
  settle(workspaceId: WorkspaceId, id: ApprovalId, outcome: ApprovalOutcome): Promise<boolean>;
}

export interface ApprovalFilter {
  /** Only those of these profiles; null for all. */
  readonly reach: readonly ProfileId[] | null;
  readonly kinds?: readonly ApprovalKind[] | undefined;
  readonly statuses?: readonly ApprovalStatus[] | undefined;
  readonly postId?: PostId | undefined;
  readonly refundId?: RefundId | undefined;
}

export interface PendingApprovals {
  readonly kind: ApprovalKind;
  readonly count: number;
}

export interface ApprovalOutcome extends Pick<Approval, 'decidedBy' | 'decidedAt' | 'note'> {
  readonly status: Exclude<ApprovalStatus, 'pending'>;
}
