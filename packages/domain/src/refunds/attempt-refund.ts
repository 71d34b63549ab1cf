import { failure, failures, type Failure } from '../failure.js';
import type { Ports } from '../ports/index.js';
import type { Refunding, RefundInstruction } from '../ports/refunding.js';
import type { Session } from '../ports/session.js';
import { ok } from '../result.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { LeaseHandle } from '../lease.js';
import type { RefundAttempt } from './refund-attempt.js';
import { checkRefundable } from './check-refundable.js';
import { readBackRefund, concludeAbsence } from './read-back-refund.js';
import { instructionOf } from './refund-record.js';
import type { Refund } from './refund.js';

type AttemptRefundPorts = Pick<Ports, 'clock' | 'connections' | 'platforms' | 'sessions' | 'transactions'>;

/**
 * Sends a claimed refund, or looks up the outcome of an earlier attempt. A refund that may have been sent is
 * read back first and sent again only where the store proves that it was not made; with `mayResend` false not
 * even then.
 */
export async function attemptRefund(
  ports: AttemptRefundPorts,
  refund: Refund,
  { mayResend, actor }: { readonly mayResend: boolean; readonly actor: string },
  signal: AbortSignal,
  isLeaseHeld: LeaseHandle['isHeld'],
): Promise<RefundAttempt> {
  const maybeSent = refund.sentAt !== null;
  const unreachable = (reason: Failure): RefundAttempt => ({
    kind: maybeSent ? 'unknown' : 'not_sent',
    failure: reason,
  });
  const connection = await ports.connections.find(refund.workspaceId, refund.connectionId);
  if (!connection) {
    return {
      kind: maybeSent ? 'unclear' : 'not_sent',
      failure: failure('connection.not_found', 'The store was disconnected.'),
    };
  }
  const platform = ports.platforms.find(connection.platform);
  if (!platform?.refunds || !platform.orders) {
    return unreachable(failure('platform.not_configured', 'This platform is not configured here.'));
  }
  const use = { purpose: maybeSent ? 'read_back' : 'refund', actor } as const;
  const session = await ports.sessions.open(connection, use, signal, isLeaseHeld);
  if (!session.ok) return unreachable(session.failure);

  const instruction = instructionOf(refund);
  if (maybeSent) {
    const earlier = await readBackRefund(platform.refunds, session.value, instruction);
    if (earlier.kind !== 'absent') return earlier;
    const settled = concludeAbsence(refund, ports.clock.now(), mayResend);
    if (settled) return settled;
  }
  const { orders } = platform;
  const refundable = await catchAdapterErrors(() => checkRefundable(orders, session.value, refund));
  if (!refundable.ok) return { kind: 'not_sent', failure: refundable.failure };
  const marked = await ports.transactions.run<boolean, never>(async (tx) =>
    ok(await tx.refunds.markSent(refund.id, refund.epoch)),
  );
  if (!marked.ok || !marked.value) return { kind: 'lost' };
  return sendAndConfirm(platform.refunds, session.value, instruction);
}

async function sendAndConfirm(
  refunding: Refunding,
  session: Session,
  instruction: RefundInstruction,
): Promise<RefundAttempt> {
  // An error thrown from here on means that it may have taken effect.
  const sent = await catchAdapterErrors(() => refunding.refund(session, instruction));
  if (sent.ok) return { kind: 'made', remote: sent.value };
  switch (sent.failure.code) {
    case 'refund.refused':
    case 'platform.refused':
    case 'platform.permission_missing':
      return { kind: 'refused', failure: sent.failure };
    case 'refund.unclear':
      return { kind: 'unclear', failure: sent.failure };
    default:
  }
  if (!mayHaveHappened(sent.failure)) return { kind: 'not_sent', failure: sent.failure };
  const found = await readBackRefund(refunding, session, instruction);
  return found.kind === 'absent' ? { kind: 'unknown', failure: sent.failure } : found;
}

/** A 2xx response that cannot be parsed is a refund that was most likely made. */
const mayHaveHappened = ({ code, effect }: Failure): boolean =>
  code === 'platform.invalid_response' || (effect ?? failures[code].effect) !== 'none';
