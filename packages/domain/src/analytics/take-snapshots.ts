import { WORKER } from '../call.js';
import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { Ports, Snapshot } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { DEFAULT_DAYS } from './date-range.js';
import { fetchMetrics, type LiveMetricsPorts } from './fetch-metrics.js';
import { LIVE_POSTS_MAX } from './plan-refresh.js';

interface SnapshotTask {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
}

const PERIOD_MS = DEFAULT_DAYS * 86_400_000;
const WORK_MS = 60_000;

/**
 * Stores the metrics of one account and of its posts of the last thirty days, at most the newest two hundred.
 * Results received before a failure are stored too. A disconnected account has none.
 */
export async function takeSnapshots(
  ports: LiveMetricsPorts & Pick<Ports, 'connections' | 'deliveries' | 'transactions'>,
  { workspaceId, connectionId }: SnapshotTask,
  stop: AbortSignal,
): Promise<Result<{ readonly taken: number }>> {
  const connection = await ports.connections.find(workspaceId, connectionId);
  if (!connection) return ok({ taken: 0 });
  const deliveries = await ports.deliveries.listPublished(
    workspaceId,
    { connectionIds: [connectionId], from: ports.clock.after(-PERIOD_MS), to: ports.clock.after(0) },
    LIVE_POSTS_MAX,
  );
  const taken: Snapshot[] = [];
  const read = await fetchMetrics(
    ports,
    {
      connection,
      deliveries: deliveries.filter(({ externalId }) => externalId !== null),
      includesAccount: true,
    },
    WORKER,
    AbortSignal.any([stop, AbortSignal.timeout(WORK_MS)]),
    (snapshot) => void taken.push(snapshot),
  );
  if (taken.length > 0) {
    await ports.transactions.run(async (tx) => ok(await tx.snapshots.insert(taken)));
  }
  return read.ok ? ok({ taken: taken.length }) : read;
}
