import { WORKER } from '../call.js';
import type { FailureCode } from '../failure.js';
import type { Delivery } from './delivery.js';
import { ok } from '../result.js';
import {
  createDeliveryLease,
  withConnections,
  WORK_MS,
  type DeliveryPorts,
  type DeliveryTask,
  type DeliveryContext,
} from './deliver.js';
import { LEASE_SECONDS, withLease } from '../lease.js';
import { withTimeout } from './with-timeout.js';
import { withPublishedPart } from './with-published-part.js';
import { nextPart, publishItemOf } from './publish-item.js';
import { GRACE_MS } from '../posts/schedule.js';
import type { DeliveryErrorCode } from '../reason-codes.js';
import { settleDeliveries, type DeliveryFailure, type AttemptOutcome } from './settle-delivery.js';

/**
 * Absence counts only when it was observed twice, this far apart: a platform may still be processing a
 * request that timed out here.
 */
const SECOND_CHECK_SECONDS = 30;
const GIVE_UP_MS = 24 * 60 * 60_000;
/** How long after a restore a platform may still be processing what the original installation sent. */
const PROCESSED_MS = 10 * 60_000;
const ABSENT_ONCE = 'read_back.absent_once';
/** A delivery that was lost this often is not sent again. */
const ATTEMPTS_MAX = 5;
/** More read-backs of one attempt than fit into a day: workers crash on this delivery. */
const READ_BACKS_MAX = 120;

/** Reconciliation: looks up at the platform whether an attempt with unknown outcome took effect. */
export async function readBackDelivery(
  ports: DeliveryPorts,
  work: DeliveryTask,
  stop: AbortSignal,
  actor = WORKER,
): Promise<void> {
  const claimedAt = ports.clock.now();
  const claimed = await ports.transactions.run(async (tx) =>
    ok(await tx.deliveries.claim('read_back', { id: work.deliveryId }, LEASE_SECONDS)),
  );
  if (!claimed.ok) return;
  for (const toReadBack of await withConnections(ports, claimed.value, claimedAt)) {
    const outcome = await readBack(ports, toReadBack, stop, actor);
    await settleDeliveries(ports, [{ delivery: toReadBack.delivery, outcome }]);
  }
}

/** Reads back a claimed delivery, and returns its outcome. */
export const readBack = (
  ports: DeliveryPorts,
  claimed: DeliveryContext,
  stop: AbortSignal,
  actor = WORKER,
): Promise<AttemptOutcome> =>
  withLease(createDeliveryLease(ports, claimed), stop, WORK_MS, (signal) =>
    checkPlatform(ports, claimed, signal, actor),
  );

async function checkPlatform(
  ports: DeliveryPorts,
  { delivery, connection }: DeliveryContext,
  signal: AbortSignal,
  actor: string,
): Promise<AttemptOutcome> {
  const platform = ports.platforms.find(delivery.platform);
  if (connection && !platform)
    return stillUnknown(
      'platform.not_configured',
      'The adapter of this platform is not installed at the moment.',
      await backoffSeconds(ports, delivery),
    );
  const publishing = platform?.publishing;
  if (connection && publishing && !publishing.find && isDueSinceRestore(delivery)) return absent;
  if (!connection || !publishing?.find || delivery.readBacks > READ_BACKS_MAX) {
    return needsReview({
      code: 'platform.outcome_unknown',
      message: 'The post may have been published. Check the account and resolve the delivery.',
    });
  }
  const session = await ports.sessions.open(connection, { purpose: 'read_back', actor }, signal);
  const part = nextPart(delivery);
  if (!part) throw new Error('a delivery with unknown outcome has no unpublished part');
  const found = session.ok
    ? await withTimeout(ports.clock, signal, publishing.find(session.value, publishItemOf(delivery, part)))
    : session;
  if (found.ok && found.value) {
    const progress = withPublishedPart(delivery, part, found.value, ports.clock.now());
    return { kind: 'published', progress };
  }
  if (found.ok) return handleAbsence(ports, delivery);
  const { failure } = found;
  const since = Math.max(
    delivery.scheduledAt.getTime(),
    delivery.notAfter.getTime() - GRACE_MS,
    delivery.restoredAt?.getTime() ?? 0,
  );
  const age = ports.clock.now().getTime() - since;
  const isFinal = finalCodes.includes(failure.code) || age > GIVE_UP_MS;
  if (isFinal && !signal.aborted) return needsReview(failure);
  const retryAfterSeconds = signal.aborted ? undefined : failure.retryAfterSeconds;
  return stillUnknown(
    failure.code,
    failure.message,
    retryAfterSeconds ?? (await backoffSeconds(ports, delivery)),
  );
}

/** Codes that another check does not change: several matches, or no permission to read. */
const finalCodes: readonly FailureCode[] = ['platform.outcome_unknown', 'platform.permission_missing'];

const absent: AttemptOutcome = {
  kind: 'retry',
  failure: { code: 'read_back.absent', message: 'Not found at the platform; it is sent again.' },
};

/**
 * At a platform without read-back: only what was overdue when it was restored requires a person. What became due later
 * can have been sent only if it was moved to an earlier time after the backup.
 */
const isDueSinceRestore = ({ restoredAt, scheduledAt }: Delivery): boolean =>
  restoredAt !== null && scheduledAt > restoredAt;

/** An early check (a second worker, a person's request) does not count as the second one. */
async function handleAbsence(ports: DeliveryPorts, delivery: Delivery): Promise<AttemptOutcome> {
  const { error, nextAttemptAt, attempts, restoredAt } = delivery;
  // Whatever the original installation sent was processed long ago.
  if (restoredAt && ports.clock.now().getTime() - restoredAt.getTime() > PROCESSED_MS) return absent;
  const earlyMs =
    error?.code === ABSENT_ONCE ? (nextAttemptAt?.getTime() ?? 0) - ports.clock.now().getTime() : null;
  if (earlyMs !== null && earlyMs <= 0) {
    if (attempts >= ATTEMPTS_MAX) return giveUp(ports, delivery);
    return absent;
  }
  return stillUnknown(
    ABSENT_ONCE,
    'Not found at the platform. It is checked once more before it is sent again.',
    earlyMs === null ? SECOND_CHECK_SECONDS : earlyMs / 1000,
  );
}

/** It never arrived in all attempts; unless the platform itself reports it as a duplicate. */
async function giveUp(
  ports: DeliveryPorts,
  { workspaceId, postId, id, attempts }: Delivery,
): Promise<AttemptOutcome> {
  const history = await ports.deliveries.listHistory(workspaceId, postId);
  const isDuplicate = history.some(
    ({ deliveryId, error }) => deliveryId === id && error?.code === 'platform.duplicate_content',
  );
  if (isDuplicate) {
    const message =
      'The platform reports a duplicate, but the post was not found. Check the account and resolve the delivery.';
    return needsReview({ code: 'platform.duplicate_content', message });
  }
  const message = `Sent ${attempts} times and never found at the platform.`;
  return { kind: 'failed', failure: { code: 'read_back.absent', message } };
}

/** Depends on the number of completed checks: 30 s, one minute, two … at most 15 minutes. */
async function backoffSeconds(
  ports: Pick<DeliveryPorts, 'deliveries'>,
  { workspaceId, postId, id }: Delivery,
): Promise<number> {
  const history = await ports.deliveries.listHistory(workspaceId, postId);
  const ended = history.filter(({ deliveryId, kind }) => deliveryId === id && kind === 'read_back').length;
  return Math.min(30 * 2 ** ended, 900);
}

const needsReview = (failure: DeliveryFailure): AttemptOutcome => ({ kind: 'needs_review', failure });
const stillUnknown = (
  code: DeliveryErrorCode,
  message: string,
  retryAfterSeconds: number,
): AttemptOutcome => ({
  kind: 'unknown',
  failure: { code, message, retryAfterSeconds },
});
