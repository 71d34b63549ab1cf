import { auditRow } from '../audit/audit-row.js';
import { systemCall } from '../call.js';
import type { ApprovalId, WorkspaceId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { lockSubject, settleApproval } from './decide-approval.js';

const AT_ONCE = 100;

/** For the worker: ends the pending approvals whose time has passed. Each is settled in its own transaction. */
export async function expireApprovals(
  ports: Pick<Ports, 'approvals' | 'clock' | 'ids' | 'manifests' | 'tokens' | 'transactions'>,
  stop: AbortSignal,
): Promise<void> {
  for (let found = AT_ONCE; found === AT_ONCE;) {
    const expired = await ports.approvals.listExpired(AT_ONCE);
    found = expired.length;
    for (const { id, workspaceId } of expired) {
      if (stop.aborted) return;
      await expireApproval(ports, workspaceId, id, stop);
    }
  }
}

/** Nothing happens when it was decided since it was listed. */
async function expireApproval(
  ports: Pick<Ports, 'approvals' | 'clock' | 'ids' | 'manifests' | 'tokens' | 'transactions'>,
  workspaceId: WorkspaceId,
  id: ApprovalId,
  signal: AbortSignal,
): Promise<void> {
  const requestId = ports.ids.next('req');
  const call = systemCall('worker', 'worker', { workspaceId, requestId, signal });
  await ports.transactions.run<undefined, never>(async (tx) => {
    const found = await tx.approvals.find(workspaceId, id);
    if (!found || !(await lockSubject(tx, found))) return ok();
    const approval = await tx.approvals.lock(workspaceId, id);
    if (approval?.status !== 'pending' || approval.expiresAt > ports.clock.now()) return ok();
    const { clock, ids, manifests, tokens } = ports;
    const outcome = { status: 'expired', decidedAt: clock.now() } as const;
    await settleApproval({ ...tx, clock, ids, manifests, tokens }, call, { ...approval, ...outcome });
    await tx.audit.append(
      auditRow(call, 'approval.expired', id, {
        kind: approval.kind,
        subject: approval.postId ?? approval.refundId,
      }),
    );
    return ok();
  });
}
