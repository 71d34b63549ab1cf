import type { ApprovalId, PostId, ProfileId, RefundId, WorkspaceId } from '../ids.js';

export const approvalKinds = ['post', 'refund'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/**
 * A request that a person has to decide before a post is published or a refund is sent. It covers exactly the
 * content that it was created for: an edit withdraws it and creates another one.
 */
export interface Approval {
  readonly id: ApprovalId;
  readonly workspaceId: WorkspaceId;
  /** The profile of the post, or the present profile of the refund's connection; null when that was deleted. */
  readonly profileId: ProfileId | null;
  readonly kind: ApprovalKind;
  readonly status: ApprovalStatus;
  /** What is to be decided, in one sentence of this service; of third parties, it contains names only. */
  readonly summary: string;
  readonly postId: PostId | null;
  readonly refundId: RefundId | null;
  /** The digest of everything that is approved: of each delivery of the post by its id, or of the refund. */
  readonly digests: Readonly<Record<string, string>>;
  /** The order of a refund as it was when the refund was requested. */
  readonly refundPreview: RefundPreview | null;
  /** The actor who requested it (`actorName`). */
  readonly requestedBy: string;
  /** The lineages that took part in the request: neither they nor their descendants may decide. */
  readonly requesters: readonly string[];
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  /** The actor who decided: a key, the operator or the decision page; null for an expiry. */
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  /** The note of the person who decided. */
  readonly note: string | null;
}

/** The latest approval of a post or a refund, as far as its own representation shows it. */
export type ApprovalState = Pick<
  Approval,
  'id' | 'status' | 'requestedAt' | 'expiresAt' | 'decidedBy' | 'decidedAt' | 'note'
>;

export const toApprovalState = ({
  id,
  status,
  requestedAt,
  expiresAt,
  decidedBy,
  decidedAt,
  note,
}: Approval): ApprovalState => ({ id, status, requestedAt, expiresAt, decidedBy, decidedAt, note });

/** What a refund does to its order. Titles and numbers are text of the store. */
export interface RefundPreview {
  readonly orderNumber: string;
  /** The refunded or, with an amount, restocked lines; a line has an amount where the amounts add up. */
  readonly lines: readonly RefundPreviewLine[];
  readonly shippingMinor: number;
  /** What remains refundable afterwards. */
  readonly refundableAfterMinor: number;
}

export interface RefundPreviewLine {
  readonly title: string;
  readonly quantity: number;
  readonly amountMinor: number | null;
  readonly restock: boolean;
}
