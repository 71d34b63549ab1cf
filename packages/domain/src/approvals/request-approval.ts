import type { Call } from '../call.js';
import type { Tools, Tx } from '../ports/index.js';
import type { Approval, RefundPreview } from './approval.js';
import type { ApprovalRequirement } from './approval-requirement.js';

const HOUR_MS = 3_600_000;

type ApprovalSubject = Pick<Approval, 'profileId' | 'summary' | 'digests'> &
  (
    | { readonly postId: NonNullable<Approval['postId']> }
    | { readonly refundId: NonNullable<Approval['refundId']>; readonly refundPreview: RefundPreview }
  );

/** Creates the request for a decision, in the transaction of what it is about. */
export async function requestApproval(
  tx: Pick<Tx, 'approvals' | 'events'>,
  tools: Pick<Tools, 'ids' | 'clock'>,
  call: Call,
  subject: ApprovalSubject,
  { expiresInHours, requestedBy, requesters }: ApprovalRequirement,
): Promise<Approval> {
  const approval: Approval = {
    id: tools.ids.next('apr'),
    workspaceId: call.workspaceId,
    kind: 'postId' in subject ? 'post' : 'refund',
    status: 'pending',
    postId: null,
    refundId: null,
    refundPreview: null,
    ...subject,
    requestedBy,
    requesters,
    requestedAt: tools.clock.now(),
    expiresAt: tools.clock.after(expiresInHours * HOUR_MS),
    decidedBy: null,
    decidedAt: null,
    note: null,
  };
  await tx.approvals.insert(approval);
  await appendRequestedEvent(tx, approval);
  return approval;
}

export const appendRequestedEvent = (tx: Pick<Tx, 'events'>, approval: Approval): Promise<void> =>
  tx.events.append({ ...ownerOf(approval), type: 'approval.requested', data: requestData(approval) });

export const appendDecidedEvent = (tx: Pick<Tx, 'events'>, approval: Approval): Promise<void> =>
  tx.events.append({
    ...ownerOf(approval),
    type: 'approval.decided',
    data: {
      ...requestData(approval),
      decided_by: approval.decidedBy,
      decided_at: approval.decidedAt?.toISOString() ?? null,
      note: approval.note,
    },
  });

const ownerOf = ({ workspaceId, profileId }: Approval) => ({ workspaceId, profileId });

const requestData = (approval: Approval) => ({
  approval_id: approval.id,
  kind: approval.kind,
  status: approval.status,
  summary: approval.summary,
  ...(approval.postId !== null && { post_id: approval.postId }),
  ...(approval.refundId !== null && { refund_id: approval.refundId }),
  requested_by: approval.requestedBy,
  requested_at: approval.requestedAt.toISOString(),
  expires_at: approval.expiresAt.toISOString(),
});
