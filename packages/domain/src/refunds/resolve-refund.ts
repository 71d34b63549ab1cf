import { lineagesNotFreedBy } from '../access/separation-of-duties.js';
import { actorName, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { orReconnect } from '../connections/needs-reauth.js';
import { failure, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { RemoteRefund } from '../orders/order.js';
import type { SessionFailureCode } from '../ports/authorizers.js';
import type { Ports, Tx } from '../ports/index.js';
import type { PlatformFailureCode } from '../ports/platform.js';
import { ok, type Result } from '../result.js';
import { unthrown } from '../unthrown.js';
import { LEASE_SECONDS, whileHeld } from '../while-held.js';
import { concludeRefund } from './conclude-refund.js';
import { conclusionOf, type Conclusion } from './conclusion.js';
import { findReachableRefund } from './find-reachable-refund.js';
import { instructionOf, ledgerKeyOf } from './refund-record.js';
import { certainlyDoneAt, RESOLVABLE_AFTER_MS, WORK_MS } from './refund-timing.js';
import type { Refund } from './refund.js';
import { refundLease, settlesLater } from './send-refund.js';

export interface ResolveRefundCommand {
  readonly refundId: string;
  readonly outcome: 'succeeded' | 'failed';
  readonly externalId?: string | undefined;
  readonly note?: string | undefined;
}

type ResolvePorts = Pick<
  Ports,
  'clock' | 'connections' | 'platforms' | 'refunds' | 'sessions' | 'transactions'
>;

export type ResolveRefundFailure =
  | 'refund.not_found'
  | 'refund.settled'
  | 'refund.in_progress'
  | 'refund.in_doubt'
  | PlatformFailureCode
  | SessionFailureCode;

/**
 * Records a person's decision about a refund of unknown outcome, or one that is `pending` for 15 minutes without a live lease.
 * Before `failed` is recorded the store is read: a refund that it shows is recorded as the store shows it, and where the store
 * cannot be read now nothing is recorded. A refund that the deciding key, its ancestors or its descendants count against their
 * ceilings goes on counting there.
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
    decision.outcome === 'failed' && refund.sentAt !== null
      ? await readStore(ports, call, refund, connection, claimedAt)
      : NO_EVIDENCE;
  if (!evidence.ok) {
    await releaseLease(ports, refund);
    return evidence;
  }
  const remote = evidence.value;
  const conclusion = remote
    ? conclusionOf(refund, { kind: 'made', remote }, ports.clock.now(), settlesLater(ports, refund))
    : decided(refund, decision, actorName(call), ports.clock.now());
  const more = remote ? {} : { resolved_by: actorName(call), resolution_note: decision.note ?? null };
  const resolved = await ports.transactions.run<Refund, 'refund.settled' | 'refund.in_progress'>(
    async (tx) => {
      await tx.ledger.lock(ledgerKeyOf(refund), refund.amount.currency);
      const current = await tx.refunds.find(refund.workspaceId, refund.id);
      if (current && isOver(current)) return alreadySettled(current);
      if (current?.status !== refund.status) return stillRunning(refund);
      const concluded = await concludeRefund(
        tx,
        ports,
        refund,
        conclusion,
        connection?.profileId ?? null,
        more,
      );
      if (!concluded) return stillRunning(refund);
      if (!remote && concluded.status === 'failed') await keepCharges(tx, call, concluded);
      return ok(concluded);
    },
  );
  return resolved.ok && !isOver(resolved.value) ? listedUnsettled(resolved.value) : resolved;
}

const NO_EVIDENCE = ok<RemoteRefund | null>(null);

const isOver = ({ status }: Refund): boolean => status === 'succeeded' || status === 'failed';

/**
 * Takes the refund, so that no worker works on it while the store is read. One that needs review has no worker: its state is
 * compared again when the decision is recorded.
 */
const claimForDecision = (ports: Pick<Ports, 'clock' | 'transactions'>, refund: Refund) =>
  ports.transactions.run<Refund, 'refund.settled' | 'refund.in_progress'>(async (tx) => {
    await tx.ledger.lock(ledgerKeyOf(refund), refund.amount.currency);
    const current = await tx.refunds.find(refund.workspaceId, refund.id);
    if (!current) return stillRunning(refund);
    if (isOver(current)) return alreadySettled(current);
    if (current.status === 'needs_review') return ok(current);
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
 * What the store shows of a refund that a person found not to be made; null where it does not show it, and where there is no
 * store to read: it was disconnected, or its adapter cannot look refunds up. Refused where the store cannot be read now, and
 * where it may still be at work on the request.
 */
async function readStore(
  ports: ResolvePorts,
  call: Call,
  refund: Refund,
  connection: Connection | null,
  claimedAt: Date,
): Promise<Result<RemoteRefund | null, ResolveRefundFailure>> {
  const platform = ports.platforms.find(refund.platform);
  const find = platform?.refunds?.find?.bind(platform.refunds);
  if (!connection || !find) return NO_EVIDENCE;

  const use = { purpose: 'read_back', actor: actorName(call) } as const;
  const read = async (signal: AbortSignal, holds?: () => boolean) => {
    const session = await ports.sessions.open(connection, use, signal, holds);
    if (!session.ok) return session;
    return unthrown(() => find(session.value, instructionOf(refund)));
  };
  const lease = refundLease(ports, refund, claimedAt);
  const found =
    refund.status === 'needs_review'
      ? await read(AbortSignal.any([call.signal, AbortSignal.timeout(WORK_MS)]))
      : await whileHeld(lease, call.signal, WORK_MS, (signal) => read(signal, lease.holds));
  if (!found.ok) return orReconnect(connection, found);
  if (found.value !== null || refund.sentAt === null) return found;
  const waitMs = certainlyDoneAt(refund.sentAt).getTime() - ports.clock.now().getTime();
  return waitMs > 0 ? stillRunning(refund, Math.ceil(waitMs / 1000)) : found;
}

/** Keeps counting the refund against the ceilings that the deciding key could use again. */
async function keepCharges(tx: Tx, call: Call, { workspaceId, id }: Refund): Promise<void> {
  if (call.actor.kind !== 'key') return;
  const charged = await tx.refunds.listChargedLineages(workspaceId, id);
  const kept = await lineagesNotFreedBy(tx, workspaceId, call.actor.key, charged);
  if (kept.length > 0) await tx.ledger.retainCharges(workspaceId, id, kept);
}

const alreadySettled = ({ id, status }: Refund) =>
  refuse('refund.settled', `This refund has ${status} already.`, { next: nextCall.getRefund(id) });

const stillRunning = ({ id }: Refund, retryAfterSeconds = 5) =>
  refuse('refund.in_progress', 'The refund is being worked on. Ask again shortly.', {
    retryAfterSeconds,
    next: nextCall.getRefund(id),
  });

const listedUnsettled = ({ id, externalId }: Refund) =>
  refuse(
    'refund.in_doubt',
    'The store lists this refund and does not confirm that it failed, so it cannot be resolved as failed. If the payment provider did not pay it, delete it in the store, then resolve it again.',
    { details: { id, externalId }, next: nextCall.getRefund(id) },
  );

function decided(
  refund: Refund,
  { outcome, externalId }: Omit<ResolveRefundCommand, 'refundId'>,
  resolvedBy: string,
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
      resolvedBy,
      error: succeeded ? null : { code, message },
      settledAt,
      nextAttemptAt: null,
    },
    reservation: succeeded ? 'spent' : 'freed',
    event: succeeded ? 'refund.succeeded' : 'refund.failed',
    freesKeys: false,
  };
}
