import { listApproved } from '../approvals/check-approved.js';
import { WORKER } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { learnPermissions } from '../connections/learn-permissions.js';
import { needsReauth } from '../connections/needs-reauth.js';
import type { Failure, FailureCode } from '../failure.js';
import type { DeliveryId, WorkspaceId } from '../ids.js';
import type { ClaimedDelivery, Platform, Ports, Tx } from '../ports/index.js';
import type { DeliveryProgress } from '../ports/deliveries.js';
import type { Delivery } from './delivery.js';
import { ok, refuseWith, type Result } from '../result.js';

import { createLeaseHandle, LEASE_SECONDS, withLease, type LeaseHandle } from '../lease.js';
import { historyEntry } from './history-entry.js';
import type { MediaPorts } from './open-part-media.js';
import { publishParts } from './publish-parts.js';
import {
  disconnectedFailure,
  settleDeliveries,
  type AttemptOutcome,
  type DeliveryFailure,
} from './settle-delivery.js';

export type DeliveryPorts = Pick<
  Ports,
  | 'approvals'
  | 'posts'
  | 'deliveries'
  | 'connections'
  | 'platforms'
  | 'sessions'
  | 'tokens'
  | 'transactions'
  | 'ids'
  | 'linkPreviews'
> &
  MediaPorts;

export interface DeliveryTask {
  readonly workspaceId: WorkspaceId;
  readonly deliveryId: DeliveryId;
}

/**
 * The maximum duration of an attempt whose worker extends its lease: a video takes time. Each request has a
 * deadline of its own.
 */
export const WORK_MS = 600_000;

/** Publishes one due delivery. */
export async function deliver(ports: DeliveryPorts, work: DeliveryTask, stop: AbortSignal): Promise<void> {
  const [claimed] = await claimForDelivery(ports, (tx) =>
    tx.deliveries.claim('deliver', { id: work.deliveryId }, LEASE_SECONDS),
  );
  if (!claimed) return;
  const { delivery } = claimed;
  await settleDeliveries(ports, [{ delivery, outcome: await attemptDelivery(ports, claimed, stop) }]);
}

/** A claimed delivery with its connection; null when that was deleted. */
export interface DeliveryContext extends ClaimedDelivery {
  readonly connection: Connection | null;
  /** False when a person had to approve it, and did not approve exactly this. */
  readonly isApproved: boolean;
  /** A time before the claim. */
  readonly claimedAt: Date;
}

/** The claim and the attempt are committed before any byte is sent. */
export async function claimForDelivery(
  ports: DeliveryPorts,
  claim: (tx: Pick<Tx, 'deliveries'>) => Promise<readonly ClaimedDelivery[]>,
): Promise<readonly DeliveryContext[]> {
  const at = ports.clock.now();
  const claimed = await ports.transactions.run<readonly ClaimedDelivery[], never>(async (tx) => {
    const found = await claim(tx);
    const started = found
      .filter(({ delivery }) => at <= delivery.notAfter)
      .map(({ delivery }) => historyEntry(ports, delivery, { kind: 'attempt', outcome: 'begun', at }));
    if (started.length > 0) await tx.deliveries.insertAttempts(...started);
    return ok(found);
  });
  return withConnections(ports, claimed.ok ? claimed.value : [], at);
}

export async function withConnections(
  ports: Pick<DeliveryPorts, 'approvals' | 'connections' | 'tokens'>,
  claimed: readonly ClaimedDelivery[],
  claimedAt: Date,
): Promise<readonly DeliveryContext[]> {
  if (claimed.length === 0) return [];
  const ids = [...new Set(claimed.map(({ delivery }) => delivery.connectionId))];
  const found = new Map((await ports.connections.listByIds(ids)).map((one) => [one.id, one]));
  const inNeed = claimed.filter(({ needsApproval }) => needsApproval).map(({ delivery }) => delivery);
  const approved = await listApproved(ports, inNeed);
  return claimed.map((one) => ({
    ...one,
    claimedAt,
    connection: found.get(one.delivery.connectionId) ?? null,
    isApproved: !one.needsApproval || approved.has(one.delivery.id),
  }));
}

/** Makes one attempt at the claimed delivery, and returns its outcome. */
export function attemptDelivery(
  ports: DeliveryPorts,
  claimed: DeliveryContext,
  stop: AbortSignal,
): Promise<AttemptOutcome> {
  const hold = createDeliveryLease(ports, claimed);
  return withLease(hold, stop, WORK_MS, (signal) => sendDelivery(ports, claimed, signal, hold.isHeld));
}

/** The lease of this worker's claim, identified by its epoch. */
export const createDeliveryLease = (
  ports: DeliveryPorts,
  { claimedAt, delivery: { id, epoch } }: DeliveryContext,
): LeaseHandle =>
  createLeaseHandle(ports, claimedAt, (tx, seconds) => tx.deliveries.extendLease(id, epoch, seconds));

async function sendDelivery(
  ports: DeliveryPorts,
  { delivery, connection, profileId, claimedAt, isApproved }: DeliveryContext,
  signal: AbortSignal,
  isLeaseHeld: LeaseHandle['isHeld'],
): Promise<AttemptOutcome> {
  // A delivery that was claimed too late has no attempt in its history: nothing is sent, even if the clock
  // now reads an earlier time.
  if (claimedAt > delivery.notAfter || ports.clock.now() > delivery.notAfter) return { kind: 'missed' };
  const platform = ports.platforms.find(delivery.platform);
  if (connection && !platform) return { kind: 'retry', failure: notInstalled };
  if (!connection || !platform?.publishing) {
    return { kind: 'failed', failure: disconnectedFailure };
  }
  if (profileId !== connection.profileId) return { kind: 'failed', failure: profileChanged };
  if (!isApproved) return { kind: 'failed', failure: notApproved };
  const sent = await publishDelivery(ports, delivery, connection, platform, signal, isLeaseHeld);
  const outcome = sent.ok ? 'ok' : sent.failure.code;
  await learnPermissions(ports, platform.manifest, connection, 'publishing', outcome);
  if (sent.ok) return { kind: 'published', progress: sent.value };
  const canReadBack = platform.publishing.find !== undefined;
  // The duplicate at the platform is most likely the result of an earlier attempt.
  if (sent.failure.code === 'platform.duplicate_content' && (await wasOutcomeUnknown(ports, delivery))) {
    return outcomeUnknown(sent.failure, canReadBack);
  }
  return classifyFailure(sent.failure, canReadBack);
}

const notInstalled: DeliveryFailure = {
  code: 'platform.not_configured',
  message: 'The adapter of this platform is not installed at the moment. Nothing was sent.',
};

const profileChanged: DeliveryFailure = {
  code: 'connection.not_found',
  message: 'The account was moved to another profile after the post was created.',
};

const notApproved: DeliveryFailure = {
  code: 'approval.required',
  message:
    'A person approved other content than this. Retry the post to request an approval of this content.',
};

async function wasOutcomeUnknown(
  ports: DeliveryPorts,
  { workspaceId, postId, id }: Delivery,
): Promise<boolean> {
  const history = await ports.deliveries.listHistory(workspaceId, postId);
  return history.some(({ deliveryId, kind }) => deliveryId === id && kind === 'read_back');
}

async function publishDelivery(
  ports: DeliveryPorts,
  delivery: Delivery,
  connection: Connection,
  platform: Platform,
  signal: AbortSignal,
  isLeaseHeld: LeaseHandle['isHeld'],
): Promise<Result<DeliveryProgress>> {
  if (connection.status === 'needs_reauth') {
    return needsReauth(
      connection,
      'The account must be reconnected. The post is then published automatically.',
    );
  }
  const session = await ports.sessions.open(
    connection,
    { purpose: 'publish', actor: WORKER },
    signal,
    isLeaseHeld,
  );
  if (!session.ok) return refuseWith(session.failure);
  return publishParts(ports, delivery, platform, session.value);
}

export const retryableCodes: readonly FailureCode[] = [
  'platform.unavailable',
  'platform.rate_limited',
  'platform.not_configured',
  'vault.unavailable',
  'vault.unreadable',
  'media.processing',
];

/**
 * Unsent and clearly rejected attempts are certain; every other attempt may have taken effect and is looked
 * up, never sent again blindly.
 */
function classifyFailure(failure: Failure, canReadBack: boolean): AttemptOutcome {
  if (failure.code === 'connection.needs_reauth') return { kind: 'blocked', failure };
  if (retryableCodes.includes(failure.code)) return { kind: 'retry', failure };
  if (failure.code === 'platform.outcome_unknown' || failure.code === 'platform.invalid_response') {
    return outcomeUnknown(failure, canReadBack);
  }
  return { kind: 'failed', failure };
}

const outcomeUnknown = (failure: Failure, canReadBack: boolean): AttemptOutcome => ({
  kind: canReadBack ? 'unknown' : 'needs_review',
  failure,
});
