import { actorName, type Call } from '../call.js';
import { failure, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { LEASE_SECONDS } from '../while-held.js';
import { concludeRefund } from './conclude-refund.js';
import type { Conclusion } from './conclusion.js';
import { findReachableRefund } from './find-reachable-refund.js';
import { ledgerKeyOf } from './refund-record.js';
import type { Refund } from './refund.js';

export interface ResolveRefundCommand {
  readonly refundId: string;
  readonly outcome: 'succeeded' | 'failed';
  readonly externalId?: string | undefined;
  readonly note?: string | undefined;
}

/** A person has looked at the store and says what became of a refund in doubt. Its money is spent or freed accordingly. */
export async function resolveRefund(
  ports: Pick<Ports, 'clock' | 'connections' | 'refunds' | 'transactions'>,
  call: Call,
  { refundId, ...decision }: ResolveRefundCommand,
): Promise<Result<Refund, 'refund.not_found' | 'refund.settled' | 'refund.in_progress'>> {
  const found = await findReachableRefund(ports, call, refundId);
  if (!found.ok) return found;
  const { refund, connection } = found.value;
  return ports.transactions.run(async (tx) => {
    await tx.ledger.lock(ledgerKeyOf(refund), refund.amount.currency);
    const current = await tx.refunds.find(refund.workspaceId, refund.id);
    if (current?.status === 'succeeded' || current?.status === 'failed') {
      return refuse('refund.settled', `This refund has ${current.status} already.`, {
        next: nextCall.getRefund(current.id),
      });
    }
    // A doubt that is being looked into has a holder, whose word must not come after this one.
    const mine = current?.status === 'unknown' ? await tx.refunds.claim(refund.id, LEASE_SECONDS) : current;
    if (!mine || (mine.status !== 'unknown' && mine.status !== 'needs_review')) return stillRunning(refund);
    const conclusion = decided(mine, decision, ports.clock.now());
    const more = { resolved_by: actorName(call), resolution_note: decision.note ?? null };
    const resolved = await concludeRefund(tx, ports, mine, conclusion, connection?.profileId ?? null, more);
    return resolved ? ok(resolved) : stillRunning(refund);
  });
}

const stillRunning = ({ id }: Refund) =>
  refuse('refund.in_progress', 'The refund is being worked on. Ask again shortly.', {
    retryAfterSeconds: 5,
    next: nextCall.getRefund(id),
  });

function decided(
  refund: Refund,
  { outcome, externalId }: Omit<ResolveRefundCommand, 'refundId'>,
  settledAt: Date,
): Conclusion {
  const succeeded = outcome === 'succeeded';
  const { code, message } = failure(
    'refund.refused',
    'A person looked at the store: this refund was not made.',
  );
  return {
    changes: {
      status: outcome,
      externalId: externalId ?? refund.externalId,
      moneyMoved:
        succeeded && (refund.payments.length === 0 || refund.payments.some(({ moneyMoved }) => moneyMoved)),
      error: succeeded ? null : { code, message },
      settledAt,
      nextAttemptAt: null,
    },
    reservation: succeeded ? 'spent' : 'freed',
    event: succeeded ? 'refund.succeeded' : 'refund.failed',
    freesKeys: false,
  };
}
