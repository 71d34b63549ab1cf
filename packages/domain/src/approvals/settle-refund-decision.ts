import type { RefundId } from '../ids.js';
import type { Tools, Tx } from '../ports/index.js';
import { concludeRefund } from '../refunds/conclude-refund.js';
import type { RefundError } from '../refunds/refund.js';
import type { Approval } from './approval.js';

const errors = {
  rejected: { code: 'approval.rejected', message: 'A person rejected the refund. No money moved.' },
  expired: { code: 'approval.expired', message: 'No person approved the refund in time. No money moved.' },
} as const satisfies Record<string, RefundError>;

/**
 * Releases the refund to be sent, or fails it, which frees its reservation and its ceilings. The ledger of its order is
 * locked.
 */
export async function settleRefundDecision(
  ports: Pick<Tx, 'events' | 'jobs' | 'ledger' | 'refunds'> & Pick<Tools, 'clock'>,
  { workspaceId, profileId, status }: Approval,
  refundId: RefundId,
): Promise<void> {
  const refund = await ports.refunds.find(workspaceId, refundId);
  if (refund?.status !== 'awaiting_approval')
    throw new Error('a refund with a pending approval does not wait for it');
  if (status === 'approved') {
    await ports.refunds.settle(refundId, refund.epoch, { status: 'pending' });
    await ports.jobs.enqueue({ name: 'settle_refund', workspaceId, refundId });
    return;
  }
  if (status !== 'rejected' && status !== 'expired') throw new Error(`a refund is not ${status}`);
  await concludeRefund(
    ports,
    ports,
    refund,
    {
      changes: { status: 'failed', moneyMoved: false, error: errors[status], settledAt: ports.clock.now() },
      reservation: 'freed',
      event: 'refund.failed',
      releasesKeys: false,
    },
    profileId,
  );
}
