import { actorName, type Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { findReachableRefund } from './find-reachable-refund.js';
import { ledgerKeyOf } from './refund-record.js';
import { sendRefund, type SendRefundPorts } from './send-refund.js';
import type { Refund } from './refund.js';

interface RecheckRefundCommand {
  readonly refundId: string;
}

/**
 * Queries the store for the outcome of a refund. It never sends again: a refund that the store has certainly
 * not made fails.
 */
export async function recheckRefund(
  ports: SendRefundPorts & Pick<Ports, 'refunds'>,
  call: Call,
  { refundId }: RecheckRefundCommand,
): Promise<Result<Refund, 'refund.not_found'>> {
  const found = await findReachableRefund(ports, call, refundId);
  if (!found.ok) return found;
  const { refund } = found.value;
  if (refund.status === 'needs_review') await reopen(ports, refund);
  await sendRefund(ports, refund.workspaceId, refund.id, {
    mayResend: false,
    actor: actorName(call),
  });
  return ok((await ports.refunds.find(refund.workspaceId, refund.id)) ?? refund);
}

/**
 * Resets it to `unknown`, which can be claimed; the money stays reserved. Under the ledger's lock, like every
 * conclusion.
 */
const reopen = (ports: Pick<Ports, 'transactions'>, refund: Refund) =>
  ports.transactions.run<undefined, never>(async (tx) => {
    await tx.ledger.lock(ledgerKeyOf(refund), refund.amount.currency);
    const current = await tx.refunds.find(refund.workspaceId, refund.id);
    if (current?.status === 'needs_review') {
      await tx.refunds.settle(refund.id, current.epoch, { status: 'unknown', nextAttemptAt: null });
    }
    return ok();
  });
