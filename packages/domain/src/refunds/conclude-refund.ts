import type { ProfileId } from '../ids.js';
import type { Tools, Tx } from '../ports/index.js';
import type { Conclusion } from './conclusion.js';
import { appendRefundEvent, ledgerKeyOf, type RefundResolution } from './refund-record.js';
import type { Refund } from './refund.js';

/**
 * Stores a conclusion with all of its consequences. Null when another process has concluded meanwhile. The
 * order's row in the ledger is locked first, which serializes conclusions of one order.
 */
export async function concludeRefund(
  tx: Pick<Tx, 'events' | 'jobs' | 'ledger' | 'refunds'>,
  tools: Pick<Tools, 'clock'>,
  refund: Refund,
  { changes, reservation, event, releasesKeys }: Conclusion,
  profileId: ProfileId | null,
  resolution: RefundResolution = {},
): Promise<Refund | null> {
  const order = ledgerKeyOf(refund);
  const { amountMinor, currency } = refund.amount;
  const entry = await tx.ledger.lock(order, currency);
  if (!(await tx.refunds.settle(refund.id, refund.epoch, changes))) return null;
  if (releasesKeys) await tx.refunds.releaseKeys(refund.workspaceId, refund.id);
  if (reservation !== 'kept') {
    const refundedMinor = entry.refundedMinor + (reservation === 'spent' ? amountMinor : 0);
    await tx.ledger.save(order, {
      ...entry,
      refundedMinor,
      reservedMinor: entry.reservedMinor - amountMinor,
      inFlight: null,
    });
  }
  const concluded: Refund = { ...refund, ...changes };
  if (event) await appendRefundEvent(tx, event, concluded, profileId, resolution);
  if (changes.nextAttemptAt) {
    const startAfter = changes.nextAttemptAt > tools.clock.now() ? changes.nextAttemptAt : undefined;
    await tx.jobs.enqueue(
      { name: 'settle_refund', workspaceId: refund.workspaceId, refundId: refund.id },
      { startAfter },
    );
  }
  return concluded;
}
