import { isRefundApproved } from '../approvals/check-approved.js';
import { failure, failures, type Failure, notFound } from '../failure.js';
import type { Ports } from '../ports/index.js';
import type { Refunding, RefundInstruction } from '../ports/refunding.js';
import type { Session, PlatformFailureCode } from '../ports/session.js';
import { ok, type Result } from '../result.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { LeaseHandle } from '../lease.js';
import type { RemoteOrder } from '../orders/order.js';
import type { Orders } from '../ports/orders.js';
import type { RefundAttempt } from './refund-attempt.js';
import { instructionOf } from './refund-record.js';
import type { Refund } from './refund.js';
import { exceedsRefundable } from './plan-refund.js';
import { RESEND_WINDOW_MS, absenceCertainFrom, startOf } from './refund-timing.js';
import { findUnclearFailure } from './find-unclear-failure.js';

type AttemptRefundPorts = Pick<
  Ports,
  'approvals' | 'clock' | 'connections' | 'platforms' | 'sessions' | 'tokens' | 'transactions'
>;

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
  if (refund.approval !== null && !(await isRefundApproved(ports, refund))) {
    return {
      kind: 'not_sent',
      failure: failure('approval.required', 'A person approved another refund than this one.'),
    };
  }
  const { orders } = platform;
  const refundable = await catchAdapterErrors(() => checkRefundable(orders, session.value, refund));
  if (!refundable.ok) return { kind: 'not_sent', failure: refundable.failure };
  const marked = await ports.transactions.run<'sent' | 'held' | 'lost', never>(async (tx) =>
    ok(await tx.refunds.markSent(refund.id, refund.epoch)),
  );
  if (!marked.ok || marked.value === 'lost') return { kind: 'lost' };
  if (marked.value === 'held') return { kind: 'held' };
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

/**
 * The last check before money moves. No other refund of this service can interfere, because this one holds
 * the order.
 */
async function checkRefundable(
  orders: Orders,
  session: Session,
  refund: Refund,
): Promise<Result<undefined, PlatformFailureCode | 'order.not_found' | 'refund.exceeds_refundable'>> {
  const order = await orders.get(session, refund.orderExternalId);
  if (!order.ok) return order;
  if (order.value === null) return notFound('order');
  return isRefundable(order.value, refund) ? ok() : exceedsRefundable(order.value.totals.refundable);
}

const isRefundable = (
  { currency, totals, payments }: RemoteOrder,
  { amount, payments: parts }: Refund,
): boolean =>
  currency === amount.currency &&
  amount.amountMinor <= totals.refundable.amountMinor &&
  amount.amountMinor <= totals.captured.amountMinor - totals.refunded.amountMinor &&
  parts.every(({ id, amountMinor }) =>
    payments.some((payment) => payment.id === id && amountMinor <= payment.refundable.amountMinor),
  );

/**
 * Reconciliation of an unknown outcome: looks up at the store whether a refund was made. `absent`: the store
 * does not list it, which may still change.
 */
async function readBackRefund(
  refunding: Refunding,
  session: Session,
  instruction: RefundInstruction,
): Promise<RefundAttempt | { readonly kind: 'absent' }> {
  const find = refunding.find?.bind(refunding);
  if (!find) {
    return {
      kind: 'unclear',
      failure: failure(
        'platform.outcome_unknown',
        'The refund may have been made, and this store cannot be queried. Check the store, then resolve the refund.',
      ),
    };
  }
  const found = await catchAdapterErrors(() => find(session, instruction));
  if (found.ok) return found.value === null ? { kind: 'absent' } : { kind: 'made', remote: found.value };
  return {
    kind: found.failure.code === 'platform.outcome_unknown' ? 'unclear' : 'unknown',
    failure: found.failure,
  };
}

/**
 * The consequences of a refund's absence at the store where it must not be sent again, or not yet; null: send
 * it.
 */
function concludeAbsence(refund: Refund, now: Date, mayResend: boolean): RefundAttempt | null {
  const unclear = findUnclearFailure(refund);
  if (unclear) return { kind: 'unclear', failure: unclear };
  if (refund.externalId !== null) {
    return {
      kind: 'unclear',
      failure: failure('platform.outcome_unknown', 'The store no longer lists this refund.'),
    };
  }
  const until = absenceCertainFrom(refund);
  if (until !== null && now < until) {
    return {
      kind: 'unknown',
      // An early check does not postpone it.
      certainFrom: until,
      failure: failure(
        'platform.outcome_unknown',
        'The store does not list the refund yet and may still be processing it.',
      ),
    };
  }
  if (mayResend && now.getTime() - startOf(refund).getTime() < RESEND_WINDOW_MS) return null;
  return {
    kind: 'not_sent',
    failure: failure('platform.unavailable', 'The store did not make this refund. Nothing was refunded.'),
  };
}
