import {
  deliver,
  fetchMedia,
  readBackDelivery,
  revokeGrant,
  sendRefund,
  sweepMedia,
  takeSnapshots,
  type Ports,
} from '@switchboard/domain';
import { repeat, type Handlers, type Queue } from '@switchboard/jobs';

const SWEEP_MS = 2000;
const SWEEP_MAX = 50;
const SNAPSHOT_SWEEP_MS = 60_000;
const SNAPSHOT_AGE_MS = 3_600_000;
const PURGE_MS = 3_600_000;
const FETCH_SWEEP_MS = 5000;
/** A file may be large: more at once would take each other's time. */
const FETCH_SWEEP_MAX = 2;

/** Each job calls one use case. What is in a table stays there until it is done, so a job that is lost is only late. */
const handlersOf = (ports: Ports): Handlers => ({
  deliver: (job, stop) => deliver(ports, job, stop),
  read_back_delivery: (job, stop) => readBackDelivery(ports, job, stop),
  fetch_media: (job, stop) => fetchMedia(ports, job, stop),
  async settle_refund({ workspaceId, refundId }) {
    await sendRefund(ports, workspaceId, refundId);
  },
  async take_snapshots({ workspaceId, connectionId }, stop) {
    await takeSnapshots(ports, { workspaceId, connectionId }, stop);
  },
  async revoke_grant(job) {
    const revoked = await revokeGrant(ports, job);
    if (!revoked.ok)
      throw new Error(`the grant of ${job.connectionId} was not revoked: ${revoked.failure.code}`);
  },
});

/** Works on jobs, and sweeps up what is due and has none: the tables are the truth. */
export async function startWorker(
  ports: Ports,
  queue: Queue,
  purge: () => Promise<number>,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const handlers = handlersOf(ports);
  await queue.work(handlers);
  const due = repeat(
    async (stop) => {
      const deliveries = await ports.posts.listDue(SWEEP_MAX);
      const refunds = await ports.refunds.listUnsettled(SWEEP_MAX);
      // One that throws keeps none of the others: it is taken up again when its lease has ended.
      const swept = await Promise.allSettled([
        ...deliveries.map(({ id, workspaceId, status }) => {
          const readBack = status === 'sending' || status === 'unknown';
          return (readBack ? readBackDelivery : deliver)(ports, { workspaceId, deliveryId: id }, stop);
        }),
        ...refunds.map(({ id, workspaceId }) => sendRefund(ports, workspaceId, id)),
      ]);
      for (const result of swept) if (result.status === 'rejected') onError(result.reason);
    },
    SWEEP_MS,
    onError,
  );
  const fetched = repeat(
    async (stop) => {
      const waiting = await ports.media.listToFetch(FETCH_SWEEP_MAX);
      const swept = await Promise.allSettled(
        waiting.map(({ id, workspaceId }) => fetchMedia(ports, { workspaceId, mediaId: id }, stop)),
      );
      for (const result of swept) if (result.status === 'rejected') onError(result.reason);
    },
    FETCH_SWEEP_MS,
    onError,
  );
  const withNumbers = ports.platforms
    .list()
    .flatMap(({ manifest, analytics }) => (analytics ? [manifest.id] : []));
  const snapshots = repeat(
    async (stop) => {
      const old = await ports.connections.listForSnapshots(
        withNumbers,
        ports.clock.after(-SNAPSHOT_AGE_MS),
        20,
      );
      for (const { id, workspaceId } of old) {
        if (!stop.aborted) await takeSnapshots(ports, { workspaceId, connectionId: id }, stop);
      }
    },
    SNAPSHOT_SWEEP_MS,
    onError,
  );
  const purged = repeat(
    async (stop) => {
      while (!stop.aborted && (await purge()) > 0);
      await sweepMedia(ports, stop);
    },
    PURGE_MS,
    onError,
  );
  return {
    stop: async () => void (await Promise.all([due.stop(), fetched.stop(), snapshots.stop(), purged.stop()])),
  };
}
