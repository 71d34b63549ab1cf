import { WORKER } from '../call.js';
import type { Failure } from '../failure.js';
import type { Ports, Tx } from '../ports/index.js';
import type { DeliveryChanges, DeliveryProgress } from '../ports/deliveries.js';
import type { Delivery, DeliveryAttempt, DeliveryError, DeliveryStatus } from './delivery.js';
import type { DeliveryErrorCode } from '../reason-codes.js';
import { ok } from '../result.js';
import { claimReadBackResult } from './claim-read-back-result.js';

import { historyEntry } from './history-entry.js';
import { firstUrlCheckAt } from './resolve-published-urls.js';
import { nextPart } from './publish-item.js';
import { appendDeliveryEvents, type DeliveryTransition } from './append-delivery-events.js';

/** The outcome of an attempt or a read-back. */
export type AttemptOutcome =
  | { readonly kind: 'published'; readonly progress: DeliveryProgress }
  | { readonly kind: 'missed' }
  | {
      readonly kind: 'retry' | 'unknown' | 'needs_review' | 'blocked' | 'failed';
      readonly failure: DeliveryFailure;
    };

export type DeliveryFailure = Pick<Failure, 'message' | 'retryAfterSeconds' | 'platform'> & {
  readonly code: DeliveryErrorCode;
};

export type SettlePorts = Pick<Ports, 'transactions' | 'platforms' | 'clock' | 'ids'>;

export interface SettledDelivery {
  readonly delivery: Delivery;
  readonly outcome: AttemptOutcome;
  /** The trace of the delivery, to which the events belong. */
  readonly traceparent?: string | null | undefined;
}

/**
 * Writes outcomes with their history and events in one transaction. A stale claim writes nothing: another
 * worker holds the delivery.
 */
export async function settleDeliveries(
  ports: SettlePorts,
  settled: readonly SettledDelivery[],
): Promise<void> {
  const now = ports.clock.now();
  await ports.transactions.run(async (tx) => {
    const settlements: RecordedSettlement[] = [];
    const claimedKeys = new Set<string>();
    for (const { delivery, outcome, traceparent = null } of sortByConnection(settled)) {
      const changes = changesOf(delivery, await resolveOutcome(tx, delivery, outcome, claimedKeys), now);
      const resolveUrlAt = firstUrlCheckAt(ports, delivery, changes, now);
      settlements.push({
        delivery,
        changes: { ...changes, ...(resolveUrlAt && { resolveUrlAt }) },
        kind: kindOf(delivery, outcome),
        traceparent,
      });
    }
    const ids = await tx.deliveries.settle(
      settlements.map(({ delivery: { id, epoch }, changes }) => ({ id, epoch, changes })),
    );
    const written = settlements.filter(({ delivery }) => ids.has(delivery.id));
    if (written.length === 0) return ok();
    const entries = written.map(({ delivery, changes: { status, error = null }, kind }) =>
      historyEntry(ports, delivery, { kind, outcome: status ?? delivery.status, error, at: now }),
    );
    await tx.deliveries.insertAttempts(...entries);
    const requestId = ports.ids.next('req');
    for (const recorded of written) await auditDecision(tx, recorded, requestId);
    await appendDeliveryEvents(tx, written, now);
    return ok();
  });
}

/** Retries are recorded in the history only. */
const auditedStatuses: readonly DeliveryStatus[] = [
  'published',
  'failed',
  'missed',
  'blocked',
  'needs_review',
];

async function auditDecision(
  tx: Pick<Tx, 'audit'>,
  { delivery, changes }: RecordedSettlement,
  requestId: string,
): Promise<void> {
  const { status, error } = changes;
  if (!status || !auditedStatuses.includes(status)) return;
  await tx.audit.append({
    workspaceId: delivery.workspaceId,
    actor: WORKER,
    action: `delivery.${status}`,
    object: delivery.id,
    outcome: error?.code ?? 'ok',
    requestId,
    details: { post_id: delivery.postId, connection_id: delivery.connectionId },
  });
}

interface RecordedSettlement extends DeliveryTransition {
  readonly kind: DeliveryAttempt['kind'];
}

/** A delivery missed before any attempt has no attempt in its history. */
const kindOf = ({ status }: Delivery, { kind }: AttemptOutcome): DeliveryAttempt['kind'] =>
  kind === 'missed' ? 'state' : status === 'unknown' ? 'read_back' : 'attempt';

/** Connections are always locked in one order, so that two transactions do not deadlock. */
const sortByConnection = (settled: readonly SettledDelivery[]): readonly SettledDelivery[] =>
  [...settled].sort((a, b) => (a.delivery.connectionId < b.delivery.connectionId ? -1 : 1));

/**
 * Only an account that still needs reauthorization blocks: one that was reconnected meanwhile has already
 * released its blocked deliveries, once. The result of a read-back belongs to only one delivery.
 */
async function resolveOutcome(
  tx: Tx,
  delivery: Delivery,
  outcome: AttemptOutcome,
  claimedKeys: Set<string>,
): Promise<AttemptOutcome> {
  if (outcome.kind === 'published' && delivery.status === 'unknown') {
    return claimReadBackResult(tx, delivery, outcome, claimedKeys);
  }
  if (outcome.kind !== 'blocked') return outcome;
  const connection = await tx.connections.lock(delivery.workspaceId, delivery.connectionId);
  if (!connection) return { kind: 'failed', failure: disconnectedFailure };
  return connection.status === 'needs_reauth' ? outcome : { ...outcome, kind: 'retry' };
}

export const disconnectedFailure: DeliveryFailure = {
  code: 'connection.not_found',
  message: 'The account was disconnected.',
};

function changesOf(delivery: Delivery, outcome: AttemptOutcome, now: Date): DeliveryChanges {
  if (outcome.kind === 'published') {
    const { progress } = outcome;
    // A successful read-back may leave further parts of the thread to publish.
    return nextPart(progress)
      ? { ...progress, status: 'retrying', error: null, nextAttemptAt: now }
      : { ...progress, status: 'published', error: null, nextAttemptAt: null, restoredAt: null };
  }
  if (outcome.kind === 'missed') return missedChanges('Not published before not_after.');
  const { failure } = outcome;
  const error = errorOf(failure);
  switch (outcome.kind) {
    case 'retry': {
      const nextAttemptAt = new Date(
        now.getTime() + Math.max(backoffMs(delivery.attempts), waitMs(failure.retryAfterSeconds ?? 0)),
      );
      if (nextAttemptAt > delivery.notAfter)
        return missedChanges(`Not published before not_after. ${failure.message}`);
      // A read-back that found nothing: from here on it is sent.
      return {
        status: 'retrying',
        error,
        nextAttemptAt,
        ...(delivery.status === 'unknown' && { restoredAt: null }),
      };
    }
    case 'unknown':
      return {
        status: 'unknown',
        error,
        nextAttemptAt: new Date(now.getTime() + waitMs(failure.retryAfterSeconds ?? 2)),
      };
    case 'blocked':
    case 'failed':
    case 'needs_review':
      return { status: outcome.kind, error, nextAttemptAt: null };
  }
}

const missedChanges = (message: string): DeliveryChanges => ({
  status: 'missed',
  error: { code: 'post.missed', message },
  nextAttemptAt: null,
});

/** Truncates the adapter's message in a delivery. */
const MESSAGE_MAX = 1000;

export function errorOf({ code, message: whole, platform }: DeliveryFailure): DeliveryError {
  const message = whole.slice(0, MESSAGE_MAX);
  return platform ? { code, message, platform } : { code, message };
}

/** Clamps the platform's requested delay between a second and a day. */
export const waitMs = (seconds: number) =>
  Math.min(Math.max(Number.isNaN(seconds) ? 0 : seconds, 1), 86_400) * 1000;

/** 5 s, 10 s, 20 s … at most 15 minutes. */
export const backoffMs = (attempts: number) => Math.min(5000 * 2 ** Math.max(0, attempts - 1), 900_000);
