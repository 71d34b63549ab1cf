import { auditRow } from '../audit/audit-row.js';
import { actorName, type Call } from '../call.js';
import { notFound, refuse, type FailureCode } from '../failure.js';
import { parseId } from '../ids.js';
import type { Tools, Tx } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Approval } from './approval.js';
import { appendDecidedEvent } from './request-approval.js';
import { isIndependent, mayDecide, reachesApproval } from './may-decide.js';
import { settlePostDecision } from './settle-post-decision.js';
import { settleRefundDecision } from './settle-refund-decision.js';

export type DecisionPorts = Pick<
  Tx,
  'approvals' | 'apiKeys' | 'audit' | 'deliveries' | 'events' | 'jobs' | 'ledger' | 'posts' | 'refunds'
> &
  Pick<Tools, 'clock' | 'ids' | 'manifests' | 'tokens'>;

export interface ApprovalDecision {
  readonly status: 'approved' | 'rejected';
  readonly note: string | null;
}

export type DecideFailure = 'approval.not_found' | 'approval.not_permitted' | 'approval.decided';

/**
 * Decides a pending approval, with all consequences: an approved post or refund is released, a rejected one fails.
 * The first decision counts: the same one again changes nothing, another one is refused. `isReady` is called with
 * what is decided about locked.
 */
export async function decideApproval<NotReady extends FailureCode = never>(
  ports: DecisionPorts,
  call: Call,
  id: string,
  decision: ApprovalDecision,
  isReady: (approval: Approval) => Promise<Result<undefined, NotReady>> = async () => ok(),
): Promise<Result<Approval, DecideFailure | NotReady>> {
  const approvalId = parseId('apr', id);
  const found = approvalId && (await ports.approvals.find(call.workspaceId, approvalId));
  if (!found) return notFound('approval');
  const permitted = await checkDecider(ports, call, found);
  if (!permitted.ok) return permitted;

  const locked = await lockSubject(ports, found);
  const approval = await ports.approvals.lock(found.workspaceId, found.id);
  if (!approval || !locked) return notFound('approval');
  const now = ports.clock.now();
  if (approval.status === decision.status) return ok(approval);
  if (approval.status !== 'pending') return refuseDecided(approval);
  // Its expiry is recorded by the worker a moment later.
  if (approval.expiresAt <= now) return refuseDecided({ ...approval, status: 'expired' });
  const ready = await isReady(approval);
  if (!ready.ok) return ready;

  const { status, note } = decision;
  const decided: Approval = { ...approval, status, note, decidedBy: actorName(call), decidedAt: now };
  await settleApproval(ports, call, decided);
  await ports.audit.append(
    auditRow(call, status === 'approved' ? 'approveApproval' : 'rejectApproval', approval.id, {
      surface: call.surface,
      address: call.address ?? null,
      kind: approval.kind,
      subject: approval.postId ?? approval.refundId,
      digests: approval.digests,
    }),
  );
  return ok(decided);
}

/** Ends an approval that is pending and locked, with its consequences and its event. */
export async function settleApproval(ports: DecisionPorts, call: Call, approval: Approval): Promise<void> {
  const { workspaceId, id, status, decidedBy, decidedAt, note } = approval;
  if (status === 'pending') throw new Error('an approval is settled by its outcome');
  if (!(await ports.approvals.settle(workspaceId, id, { status, decidedBy, decidedAt, note })))
    throw new Error('a locked approval is no longer pending');
  if (approval.postId) await settlePostDecision(ports, call, approval, approval.postId);
  if (approval.refundId) await settleRefundDecision(ports, approval, approval.refundId);
  await appendDecidedEvent(ports, approval);
}

/** Locks what is decided about, before its approval: see `Approvals`. */
export async function lockSubject(
  ports: Pick<DecisionPorts, 'posts' | 'refunds' | 'ledger'>,
  { workspaceId, postId, refundId }: Approval,
): Promise<boolean> {
  if (postId) return (await ports.posts.lock(workspaceId, postId)) !== null;
  const refund = refundId && (await ports.refunds.find(workspaceId, refundId));
  if (!refund) return false;
  await ports.ledger.lock(refund, refund.amount.currency);
  return true;
}

/**
 * A key decides with what is stored about it now, not with what a process knew: one that was revoked, or has lost the
 * scope, decides nothing. The operator and the decision page, whose link is the permission, are no keys.
 */
async function checkDecider(
  { apiKeys, clock }: Pick<DecisionPorts, 'apiKeys' | 'clock'>,
  { actor, workspaceId }: Call,
  approval: Approval,
): Promise<Result<undefined, 'approval.not_found' | 'approval.not_permitted'>> {
  if (actor.kind !== 'key') return ok();
  const key = await apiKeys.find(workspaceId, actor.key.id);
  const isReachable = reachesApproval(approval, actor.key) && key !== null && reachesApproval(approval, key);
  if (!isReachable) return notFound('approval');
  const isValid =
    key.revokedAt === null && (key.policy.expiresAt === null || key.policy.expiresAt > clock.now());
  if (isValid && mayDecide(approval, key) && mayDecide(approval, actor.key)) return ok();
  const message = isIndependent(approval, [key.lineage, ...key.ancestors])
    ? 'This key can no longer decide. Use another key that holds approvals:write.'
    : 'This key, or a key of its family, took part in this request, and cannot decide about it. A key of another family decides, or a person on the decision page that it hands out, or the operator with `switchboard approvals`.';
  return refuse('approval.not_permitted', message, { whoCanFix: 'operator' });
}

const outcomes: Readonly<Record<Approval['status'], string>> = {
  pending: 'not decided',
  approved: 'approved',
  rejected: 'rejected',
  expired: 'not decided in time',
  withdrawn: 'withdrawn, because its content was changed or cancelled',
};

const refuseDecided = ({ id, status }: Pick<Approval, 'id' | 'status'>) =>
  refuse('approval.decided', `This request was ${outcomes[status]}.`, { details: { id, status } });
