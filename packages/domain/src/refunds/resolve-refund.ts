import { findRetainedLineages } from '../access/find-retained-lineages.js';
import { auditRow } from '../audit/audit-row.js';
import { actorName, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import { failure, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { RemoteRefund } from '../orders/order.js';
import type { SessionFailureCode } from '../ports/authorizers.js';
import type { Ports, Tx } from '../ports/index.js';
import type { AuditRow } from '../ports/audit.js';
import type { Platform } from '../ports/platform.js';
import type { PlatformFailureCode, Session } from '../ports/session.js';
import { ok, type Result } from '../result.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import { LEASE_SECONDS, withLease } from '../lease.js';
import { concludeRefund } from './conclude-refund.js';
import { concludeAttempt, type Conclusion } from './conclusion.js';
import { findReachableRefund } from './find-reachable-refund.js';
import { instructionOf, ledgerKeyOf } from './refund-record.js';
import { certainlyDoneAt, RESOLVABLE_AFTER_MS, WORK_MS } from './refund-timing.js';
import type { Refund } from './refund.js';
import { createRefundLease, settlesLater } from './send-refund.js';

interface ResolveRefundCommand {
  readonly refundId: string;
  readonly outcome: 'succeeded' | 'failed';
  readonly externalId?: string | undefined;
  readonly note?: string | undefined;
}

type ResolvePorts = Pick<
  Ports,
  'clock' | 'connections' | 'platforms' | 'refunds' | 'sessions' | 'transactions'
>;

type ResolveRefundFailure =
  | 'refund.not_found'
  | 'refund.settled'
  | 'refund.in_progress'
  | 'refund.in_doubt'
  | PlatformFailureCode
  | SessionFailureCode;

/**
 * Records a person's decision about a refund with unknown outcome, or one that is `pending` for 15 minutes
 * without a live lease. Before `failed` is recorded the store is read: a refund that it lists is recorded as
 * the store shows it, and while the store cannot be read nothing is recorded. Where the store responds that
 * the order does not exist, or that its data cannot determine the outcome, no later read can either, and the
 * decision is recorded with that response in the audit log. A refund that counts against the ceilings of the
 * deciding key, its ancestors or its descendants continues to count there.
 */
export async function resolveRefund(
  ports: ResolvePorts,
  call: Call,
  { refundId, ...decision }: ResolveRefundCommand,
): Promise<Result<Refund, ResolveRefundFailure>> {
  const found = await findReachableRefund(ports, call, refundId);
  if (!found.ok) return found;
  const { connection } = found.value;
  const claimedAt = ports.clock.now();
  const claimed = await claimForDecision(ports, found.value.refund);
  if (!claimed.ok) return claimed;
  const refund = claimed.value;

  const evidence =
    decision.outcome === 'failed'
      ? await readStoreRefund(ports, call, refund, connection, claimedAt)
      : ok<Evidence>({ kind: 'not_read' });
  if (!evidence.ok) {
    await releaseLease(ports, refund);
    return evidence;
  }
  const remote = evidence.value.kind === 'listed' ? evidence.value.remote : null;
  const conclusion = remote
    ? concludeAttempt(refund, { kind: 'made', remote }, ports.clock.now(), settlesLater(ports, refund))
    : concludeDecision(refund, decision, actorName(call), ports.clock.now());
  const resolution = remote ? {} : { resolved_by: actorName(call), resolution_note: decision.note ?? null };
  const resolved = await ports.transactions.run<Refund, 'refund.settled' | 'refund.in_progress'>(
    async (tx) => {
      await tx.ledger.lock(ledgerKeyOf(refund), refund.amount.currency);
      const current = await tx.refunds.find(refund.workspaceId, refund.id);
      if (current && isFinal(current)) return alreadySettled(current);
      if (current?.status !== refund.status) return stillRunning(refund);
      const concluded = await concludeRefund(
        tx,
        ports,
        refund,
        conclusion,
        connection?.profileId ?? null,
        resolution,
      );
      if (!concluded) return stillRunning(refund);
      if (!remote && concluded.status === 'failed') await retainCharges(tx, call, concluded);
      await tx.audit.append(decisionRow(call, refund, decision.outcome, evidence.value));
      return ok(concluded);
    },
  );
  return resolved.ok && !isFinal(resolved.value) ? listedUnsettled(resolved.value) : resolved;
}

/**
 * The store's response about a refund that a person resolves as failed. `not_read`: there was nothing to
 * read, because no byte was sent, the store was disconnected or its adapter has no lookup.
 */
type Evidence =
  | { readonly kind: 'not_read' | 'not_listed' }
  | { readonly kind: 'listed'; readonly remote: RemoteRefund }
  | { readonly kind: 'order_missing' | 'store_cannot_tell'; readonly storeAnswer: string };

const isFinal = ({ status }: Refund): boolean => status === 'succeeded' || status === 'failed';

/**
 * Claims the refund, so that no worker processes it while the store is read. A refund that needs review has
 * no worker: its state is compared again when the decision is recorded.
 */
const claimForDecision = (ports: Pick<Ports, 'clock' | 'transactions'>, refund: Refund) =>
  ports.transactions.run<Refund, 'refund.settled' | 'refund.in_progress'>(async (tx) => {
    await tx.ledger.lock(ledgerKeyOf(refund), refund.amount.currency);
    const current = await tx.refunds.find(refund.workspaceId, refund.id);
    if (!current) return stillRunning(refund);
    if (isFinal(current)) return alreadySettled(current);
    if (current.status === 'needs_review') return ok(current);
    if (current.status === 'awaiting_approval') return awaitingApproval(current);
    const ageMs = ports.clock.now().getTime() - current.createdAt.getTime();
    const isStuck = current.status === 'pending' && ageMs >= RESOLVABLE_AFTER_MS;
    const claimed =
      current.status === 'unknown' || isStuck ? await tx.refunds.claim(refund.id, LEASE_SECONDS) : null;
    return claimed ? ok(claimed) : stillRunning(refund);
  });

const releaseLease = (ports: Pick<Ports, 'transactions'>, { id, epoch, status }: Refund) =>
  ports.transactions.run<undefined, never>(async (tx) => {
    if (status !== 'needs_review') await tx.refunds.settle(id, epoch, {});
    return ok();
  });

/**
 * Reads the store for a refund that a person resolves as failed. Rejected while the store cannot be read, and
 * while it may still be processing the request.
 */
async function readStoreRefund(
  ports: ResolvePorts,
  call: Call,
  refund: Refund,
  connection: Connection | null,
  claimedAt: Date,
): Promise<Result<Evidence, ResolveRefundFailure>> {
  const platform = ports.platforms.find(refund.platform);
  if (refund.sentAt === null || !connection || !platform?.refunds?.find) return ok({ kind: 'not_read' });

  const use = { purpose: 'read_back', actor: actorName(call) } as const;
  const read = async (signal: AbortSignal, isLeaseHeld?: () => boolean) => {
    const session = await ports.sessions.open(connection, use, signal, isLeaseHeld);
    return session.ok ? findEvidence(platform, session.value, refund) : session;
  };
  const lease = createRefundLease(ports, refund, claimedAt);
  const found =
    refund.status === 'needs_review'
      ? await read(AbortSignal.any([call.signal, AbortSignal.timeout(WORK_MS)]))
      : await withLease(lease, call.signal, WORK_MS, (signal) => read(signal, lease.isHeld));
  if (!found.ok) return withReconnectStep(connection, found);
  if (found.value.kind === 'listed') return found;
  const waitMs = certainlyDoneAt(refund.sentAt).getTime() - ports.clock.now().getTime();
  return waitMs > 0 ? stillRunning(refund, Math.ceil(waitMs / 1000)) : found;
}

/**
 * Where the store refuses to list refunds, or cannot determine the outcome, its order decides whether a later
 * read could.
 */
async function findEvidence(
  { orders, refunds }: Platform,
  session: Session,
  refund: Refund,
): Promise<Result<Evidence, PlatformFailureCode>> {
  const find = refunds?.find?.bind(refunds);
  if (!find) return ok({ kind: 'not_read' });
  const found = await catchAdapterErrors(() => find(session, instructionOf(refund)));
  if (found.ok) return ok(found.value ? { kind: 'listed', remote: found.value } : { kind: 'not_listed' });
  const { code, message: storeAnswer } = found.failure;
  const cannotTell = code === 'platform.outcome_unknown';
  if (!orders || !(cannotTell || code === 'platform.refused')) return found;
  const order = await catchAdapterErrors(() => orders.get(session, refund.orderExternalId));
  if (!order.ok) return found;
  if (order.value === null) return ok({ kind: 'order_missing', storeAnswer });
  const isShown = order.value.refunds.some(
    ({ externalId, reference }) => externalId === refund.externalId || reference === refund.reference,
  );
  return cannotTell && !isShown ? ok({ kind: 'store_cannot_tell', storeAnswer }) : found;
}

/** The call's own audit row is written when the refund is claimed, before the result is known. */
const decisionRow = (
  call: Call,
  { id }: Refund,
  outcome: ResolveRefundCommand['outcome'],
  evidence: Evidence,
): AuditRow =>
  auditRow(call, 'resolveRefund', id, {
    surface: call.surface,
    outcome,
    evidence: evidence.kind,
    ...('storeAnswer' in evidence && { store_answer: evidence.storeAnswer }),
  });

/** Keeps counting the refund against the ceilings that the deciding key could use again. */
async function retainCharges(tx: Tx, call: Call, { workspaceId, id }: Refund): Promise<void> {
  if (call.actor.kind !== 'key') return;
  const charged = await tx.refunds.listChargedLineages(workspaceId, id);
  const retained = await findRetainedLineages(tx, workspaceId, call.actor.key, charged);
  if (retained.length > 0) await tx.ledger.retainCharges(workspaceId, id, retained);
}

const alreadySettled = ({ id, status }: Refund) =>
  refuse('refund.settled', `This refund has already ${status}.`, { next: nextCall.getRefund(id) });

const stillRunning = ({ id }: Refund, retryAfterSeconds = 5) =>
  refuse('refund.in_progress', 'The refund is in progress. Retry shortly.', {
    retryAfterSeconds,
    next: nextCall.getRefund(id),
  });

/** Its decision is not this one. */
const awaitingApproval = ({ id }: Refund) =>
  refuse('refund.in_progress', 'The refund waits for a person’s approval, and was not sent.', {
    retryAfterSeconds: 300,
    next: nextCall.getRefund(id),
  });

const listedUnsettled = ({ id, externalId }: Refund) =>
  refuse(
    'refund.in_doubt',
    'The store lists this refund and does not confirm that it failed, so it cannot be resolved as failed. If the payment provider did not pay it, delete it in the store, then resolve it again.',
    { details: { id, externalId }, next: nextCall.getRefund(id) },
  );

function concludeDecision(
  refund: Refund,
  { outcome, externalId }: Omit<ResolveRefundCommand, 'refundId'>,
  resolvedBy: string,
  settledAt: Date,
): Conclusion {
  const succeeded = outcome === 'succeeded';
  const { code, message } = failure('refund.refused', 'Resolved manually as not made.');
  return {
    changes: {
      status: outcome,
      externalId: externalId ?? refund.externalId,
      moneyMoved:
        succeeded && (refund.payments.length === 0 || refund.payments.some(({ moneyMoved }) => moneyMoved)),
      resolvedBy,
      error: succeeded ? null : { code, message },
      settledAt,
      nextAttemptAt: null,
    },
    reservation: succeeded ? 'spent' : 'freed',
    event: succeeded ? 'refund.succeeded' : 'refund.failed',
    releasesKeys: false,
  };
}
