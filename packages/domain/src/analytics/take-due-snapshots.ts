import { WORKER } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { DueMetrics, Ports, Snapshot } from '../ports/index.js';
import { ok } from '../result.js';
import { fetchMetrics, type LiveMetricsPorts } from './fetch-metrics.js';
import type { ListingRequest } from './list-account-posts.js';
import { EXTERNAL_POSTS_DAYS } from './snapshot-schedule.js';

type SnapshotPorts = LiveMetricsPorts &
  Pick<Ports, 'connections' | 'deliveries' | 'externalPosts' | 'transactions'>;

/** The accounts whose metrics are read concurrently, and whose snapshots are stored by one statement. */
const BATCH = 20;
const WORK_MS = 60_000;

/**
 * Reads and stores the metrics of accounts and posts that are due by the snapshot schedule, until nothing is due.
 * A failure of one account does not affect the others, and what was received before it is stored.
 */
export async function takeDueSnapshots(
  ports: SnapshotPorts,
  stop: AbortSignal,
  onError: (error: unknown) => void,
): Promise<{ readonly taken: number }> {
  let total = 0;
  while (!stop.aborted) {
    const due = await claimDue(ports);
    if (due.length === 0) break;
    const taken: Snapshot[] = [];
    const readings = await Promise.allSettled(
      due.map((one) => readDue(ports, one, stop, (snapshot) => void taken.push(snapshot))),
    );
    for (const reading of readings) if (reading.status === 'rejected') onError(reading.reason);
    if (taken.length > 0) {
      await ports.transactions.run(async (tx) => ok(await tx.snapshots.insert(taken)));
    }
    total += taken.length;
  }
  return { taken: total };
}

async function claimDue(ports: SnapshotPorts): Promise<readonly DueMetrics[]> {
  const claimed = await ports.transactions.run(async (tx) => ok(await tx.snapshots.claimDue(BATCH)));
  return claimed.ok ? claimed.value : [];
}

/** A disconnected account, and one that must be reconnected, have no metrics. */
async function readDue(
  ports: SnapshotPorts,
  { workspaceId, connectionId, deliveryIds, externalPostIds, includesAccount }: DueMetrics,
  stop: AbortSignal,
  onSnapshot: (snapshot: Snapshot) => void,
): Promise<void> {
  const connection = await ports.connections.find(workspaceId, connectionId);
  if (!connection || connection.status === 'needs_reauth') return;
  const deliveries = deliveryIds.length > 0 ? await ports.deliveries.listByIds(workspaceId, deliveryIds) : [];
  await fetchMetrics(
    ports,
    {
      connection,
      deliveries: deliveries.filter(({ externalId }) => externalId !== null),
      externalPosts:
        externalPostIds.length > 0 ? await ports.externalPosts.listByIds(workspaceId, externalPostIds) : [],
      includesAccount,
      listing: includesAccount ? await findDueListing(ports, connection) : null,
    },
    WORKER,
    AbortSignal.any([stop, AbortSignal.timeout(WORK_MS)]),
    onSnapshot,
  );
}

/** Once a day with the account, for thirty days after a report requested posts made elsewhere. */
async function findDueListing(
  { externalPosts, clock }: SnapshotPorts,
  { workspaceId, id }: Connection,
): Promise<ListingRequest | null> {
  const listing = (await externalPosts.listListings(workspaceId, [id])).get(id);
  if (!listing || listing.requestedAt < clock.after(-EXTERNAL_POSTS_DAYS * DAY_MS)) return null;
  return { listing, since: listing.listedAt ?? clock.now() };
}

const DAY_MS = 86_400_000;
