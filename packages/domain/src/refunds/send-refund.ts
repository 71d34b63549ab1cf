import { WORKER } from '../call.js';
import { learnPermissions } from '../connections/learn-permissions.js';
import type { RefundId, WorkspaceId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { attemptRefund } from './attempt-refund.js';
import { concludeRefund } from './conclude-refund.js';
import { concludeAttempt } from './conclusion.js';
import { createLeaseHandle, LEASE_SECONDS, withLease, type LeaseHandle } from '../lease.js';
import { WORK_MS } from './refund-timing.js';
import type { Refund } from './refund.js';

export type SendRefundPorts = Pick<
  Ports,
  'approvals' | 'clock' | 'connections' | 'ids' | 'platforms' | 'sessions' | 'tokens' | 'transactions'
>;

/**
 * Advances a reserved refund by one step: sends it, or looks up its outcome. Called by the request that
 * created it and by the worker's `settle_refund`; a claim excludes concurrent runs. Null when there was
 * nothing to do, something holds it, or another process did it.
 */
export async function sendRefund(
  ports: SendRefundPorts,
  workspaceId: WorkspaceId,
  id: RefundId,
  { mayResend = true, actor = WORKER }: { readonly mayResend?: boolean; readonly actor?: string } = {},
): Promise<Refund | null> {
  const claimedAt = ports.clock.now();
  const claimed = await ports.transactions.run<Refund | null, never>(async (tx) => {
    const current = await tx.refunds.find(workspaceId, id);
    return ok(current && current.heldBy === null ? await tx.refunds.claim(id, LEASE_SECONDS) : null);
  });
  if (!claimed.ok || claimed.value === null) return null;
  const refund = claimed.value;
  // Not tied to the caller's abort signal: a started refund is completed, unless another process takes over.
  const lease = createRefundLease(ports, refund, claimedAt);
  const attempt = await withLease(lease, new AbortController().signal, WORK_MS, (signal) =>
    attemptRefund(ports, refund, { mayResend, actor }, signal, lease.isHeld),
  );
  if (attempt.kind === 'lost') return null;

  const connection = await ports.connections.find(workspaceId, refund.connectionId);
  // The claim was read before the first sending: a refund that waited for an approval begins with it.
  const { sentAt, firstSentAt } = refund;
  const attempted =
    attempt.kind === 'held'
      ? refund
      : { ...refund, sentAt: sentAt ?? claimedAt, firstSentAt: firstSentAt ?? claimedAt };
  const conclusion = concludeAttempt(attempted, attempt, ports.clock.now(), settlesLater(ports, refund));
  const concluded = await ports.transactions.run<Refund | null, never>(async (tx) => {
    const current = await concludeRefund(tx, ports, refund, conclusion, connection?.profileId ?? null);
    if (current && conclusion.event) {
      await tx.audit.append({
        workspaceId,
        actor,
        action: conclusion.event,
        object: id,
        outcome: current.error?.code ?? 'ok',
        requestId: ports.ids.next('req'),
        details: { connection_id: refund.connectionId, platform: refund.platform },
      });
    }
    return ok(current);
  });
  const manifest = ports.platforms.find(refund.platform)?.manifest;
  if (connection && manifest && attempt.kind !== 'held') {
    const outcome = attempt.kind === 'made' ? 'ok' : attempt.failure.code;
    await learnPermissions(ports, manifest, connection, 'refunds', outcome);
  }
  return concluded.ok ? concluded.value : null;
}

/**
 * Whether the refund's store may settle after its response; assumed for a platform that is no longer
 * configured here.
 */
export const settlesLater = (ports: Pick<Ports, 'platforms'>, { platform }: Refund): boolean =>
  ports.platforms.find(platform)?.manifest.refunds?.settlesLater ?? true;

/** The lease of a claim that was requested at `claimedAt`. */
export const createRefundLease = (
  ports: Pick<Ports, 'transactions' | 'clock'>,
  { id, epoch }: Refund,
  claimedAt: Date,
): LeaseHandle =>
  createLeaseHandle(ports, claimedAt, (tx, seconds) => tx.refunds.extendLease(id, epoch, seconds));
