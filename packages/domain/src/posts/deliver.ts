import { WORKER } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { needsReauth } from '../connections/needs-reauth.js';
import type { Failure, FailureCode } from '../failure.js';
import type { DeliveryId, WorkspaceId } from '../ids.js';
import type { Claimed, Platform, Ports, Tx } from '../ports/index.js';
import type { DeliveryProgress } from '../ports/posts.js';
import { ok, refused, type Result } from '../result.js';
import type { Delivery } from './post.js';
import { holdFrom, LEASE_SECONDS, whileHeld, type Hold } from '../while-held.js';
import type { MediaPorts } from './open-part-media.js';
import { publishParts } from './publish-parts.js';
import { disconnected, settleDeliveries, type Settlement } from './settle-delivery.js';

export type DeliveryPorts = Pick<
  Ports,
  'posts' | 'connections' | 'platforms' | 'sessions' | 'transactions' | 'ids' | 'linkPreviews'
> &
  MediaPorts;

export interface DeliveryWork {
  readonly workspaceId: WorkspaceId;
  readonly deliveryId: DeliveryId;
}

/** One attempt, as long as its worker gives signs of life: a video takes its time. Each request has a deadline of its own. */
export const WORK_MS = 600_000;

/** Publishes one delivery that is due. */
export async function deliver(ports: DeliveryPorts, work: DeliveryWork, stop: AbortSignal): Promise<void> {
  const [claimed] = await claimToDeliver(ports, async (tx) => {
    const one = await tx.posts.claimDelivery(work.deliveryId, LEASE_SECONDS);
    return one ? [one] : [];
  });
  if (!claimed) return;
  const { delivery } = claimed;
  await settleDeliveries(ports, [{ delivery, settlement: await attempt(ports, claimed, stop) }]);
}

/** What was claimed, with the account it goes to; null when that is gone. */
export interface ToDeliver extends Claimed {
  readonly connection: Connection | null;
  /** A time before it was claimed. */
  readonly claimedAt: Date;
}

/** The claim and the attempt are committed before any byte leaves. */
export async function claimToDeliver(
  ports: DeliveryPorts,
  claim: (tx: Pick<Tx, 'posts'>) => Promise<readonly Claimed[]>,
): Promise<readonly ToDeliver[]> {
  const at = ports.clock.now();
  const claimed = await ports.transactions.run<readonly Claimed[], never>(async (tx) => {
    const found = await claim(tx);
    const begun = found
      .filter(({ delivery }) => at <= delivery.notAfter)
      .map(({ delivery }) => ({
        id: ports.ids.next('att'),
        deliveryId: delivery.id,
        workspaceId: delivery.workspaceId,
        epoch: delivery.epoch,
        kind: 'attempt' as const,
        outcome: 'begun',
        error: null,
        actor: null,
        note: null,
        at,
      }));
    if (begun.length > 0) await tx.posts.insertAttempt(...begun);
    return ok(found);
  });
  return withConnections(ports, claimed.ok ? claimed.value : [], at);
}

export async function withConnections(
  ports: Pick<DeliveryPorts, 'connections'>,
  claimed: readonly Claimed[],
  claimedAt: Date,
): Promise<readonly ToDeliver[]> {
  if (claimed.length === 0) return [];
  const ids = [...new Set(claimed.map(({ delivery }) => delivery.connectionId))];
  const found = new Map((await ports.connections.listByIds(ids)).map((one) => [one.id, one]));
  return claimed.map((one) => ({
    ...one,
    claimedAt,
    connection: found.get(one.delivery.connectionId) ?? null,
  }));
}

/** Makes one attempt at what was claimed, and answers how it ended. */
export function attempt(ports: DeliveryPorts, claimed: ToDeliver, stop: AbortSignal): Promise<Settlement> {
  const hold = holdOf(ports, claimed);
  return whileHeld(hold, stop, WORK_MS, (signal) => send(ports, claimed, signal, hold.holds));
}

/** The claim of this worker, which its epoch tells from that of another. */
export const holdOf = (ports: DeliveryPorts, { claimedAt, delivery: { id, epoch } }: ToDeliver): Hold =>
  holdFrom(ports.clock, claimedAt, async () => {
    const extended = await ports.transactions.run(async (tx) =>
      ok(await tx.posts.extendLease(id, epoch, LEASE_SECONDS)),
    );
    return extended.ok && extended.value;
  });

async function send(
  ports: DeliveryPorts,
  { delivery, connection, profileId, claimedAt }: ToDeliver,
  signal: AbortSignal,
  holds: Hold['holds'],
): Promise<Settlement> {
  // Where it was too late already no attempt has been written down: nothing is sent, whatever the clock says now.
  if (claimedAt > delivery.notAfter || ports.clock.now() > delivery.notAfter) return { kind: 'missed' };
  const platform = ports.platforms.find(delivery.platform);
  if (!connection || !platform?.publishing) {
    return { kind: 'failed', failure: disconnected };
  }
  if (profileId !== connection.profileId) return { kind: 'failed', failure: moved };
  const sent = await publish(ports, delivery, connection, platform, signal, holds);
  if (sent.ok) return { kind: 'published', progress: sent.value };
  const canReadBack = platform.publishing.find !== undefined;
  // What it already has is most likely what an earlier attempt left there.
  if (sent.failure.code === 'platform.duplicate_content' && (await wasInDoubt(ports, delivery))) {
    return inDoubt(sent.failure, canReadBack);
  }
  return judge(sent.failure, canReadBack);
}

const moved = {
  code: 'connection.not_found',
  message: 'The account belongs to another profile now, for which this post was not meant.',
};

async function wasInDoubt(ports: DeliveryPorts, { workspaceId, postId, id }: Delivery): Promise<boolean> {
  const history = await ports.posts.listHistory(workspaceId, postId);
  return history.some(({ deliveryId, kind }) => deliveryId === id && kind === 'read_back');
}

async function publish(
  ports: DeliveryPorts,
  delivery: Delivery,
  connection: Connection,
  platform: Platform,
  signal: AbortSignal,
  holds: Hold['holds'],
): Promise<Result<DeliveryProgress>> {
  if (connection.status === 'needs_reauth') {
    return needsReauth(
      connection,
      'The account must be connected again. The post goes out by itself after that.',
    );
  }
  const session = await ports.sessions.open(connection, { purpose: 'publish', actor: WORKER }, signal, holds);
  if (!session.ok) return refused(session.failure);
  return publishParts(ports, delivery, platform, session.value);
}

const later: readonly FailureCode[] = [
  'platform.unavailable',
  'platform.rate_limited',
  'platform.not_configured',
  'vault.unavailable',
  'vault.unreadable',
  'media.processing',
];

/** Not sent and clearly refused are known; all else may have happened and is looked up, never sent again blindly. */
function judge(failure: Failure, canReadBack: boolean): Settlement {
  if (failure.code === 'connection.needs_reauth') return { kind: 'blocked', failure };
  if (later.includes(failure.code)) return { kind: 'retry', failure };
  if (failure.code === 'platform.outcome_unknown' || failure.code === 'platform.invalid_response') {
    return inDoubt(failure, canReadBack);
  }
  return { kind: 'failed', failure };
}

const inDoubt = (failure: Failure, canReadBack: boolean): Settlement => ({
  kind: canReadBack ? 'unknown' : 'needs_review',
  failure,
});
