import { takeDueSnapshots } from '@switchboard/domain/analytics';
import { expireApprovals } from '@switchboard/domain/approvals';
import { sendNotifications } from '@switchboard/domain/attention';
import { sealAudit } from '@switchboard/domain/audit';
import {
  renewDueCredentials,
  revokeGrant,
  applyOldReceipts,
  sweepChoices,
  reviewConnections,
  warnOfExpiry,
} from '@switchboard/domain/connections';
import {
  applyEdit,
  claimEdits,
  deliveryPool,
  resolvePublishedUrls,
  type DeliveryPool,
  type DeliveryPoolOptions,
} from '@switchboard/domain/deliveries';
import {
  addMissingStoreWebhooks,
  maintainStoreWebhooks,
  pollOrderChanges,
  readNotifiedOrder,
} from '@switchboard/domain/orders';
import { fetchPool, sweepMedia, type FetchPool } from '@switchboard/domain/media';
import { recordTimeline, type Promotion } from '@switchboard/domain/pauses';
import type { Mailer, Ports } from '@switchboard/domain/ports';
import { sendRefund } from '@switchboard/domain/refunds';
import { webhookPool, type RetrySchedule } from '@switchboard/domain/webhooks';
import { runPeriodically, type JobHandlers, type JobQueue, type TraceJob } from '@switchboard/jobs';
import type { WorkSignals } from './work-signals.js';

/** Work is announced (work-signals.ts): these find what was lost, what a dead process left, and retries. */
const SWEEP_MS = 2000;
/** Posts may be scheduled for the next second. */
const DUE_SWEEP_MS = 1000;
const REFUNDS_MAX = 20;
const EDITS_MAX = 20;
/** How long running work may take to finish when the worker stops. */
const GRACE_MS = 8000;
const RESOLVE_URL_SWEEP_MS = 5000;
const SNAPSHOT_SWEEP_MS = 15_000;
const ORDER_SWEEP_MS = 5000;
const SUM_METRICS_MS = 15_000;
const PURGE_MS = 3_600_000;
const AUDIT_SEAL_SWEEP_MS = 2000;
const CHOICES_MS = 300_000;
const RENEW_SWEEP_MS = 5000;
const WARNING_SWEEP_MS = 60_000;
const REVIEW_MS = 86_400_000;
const FETCH_SWEEP_MS = 5000;
const NOTIFICATION_SWEEP_MS = 5000;
/** A decision after the end is refused before that as well. */
const APPROVAL_SWEEP_MS = 5000;

/** Each job calls one use case. Work stays in its table until it is done, so a lost job only delays it. */
const handlersOf = (
  ports: Ports,
  deliveries: DeliveryPool,
  edits: { wake(): void },
  downloads: FetchPool,
): JobHandlers => ({
  async deliver() {
    edits.wake();
    await deliveries.fill();
  },
  fetch_media: () => downloads.fill(),
  async settle_refund({ workspaceId, refundId }) {
    await sendRefund(ports, workspaceId, refundId);
  },
  async revoke_grant(job, stop) {
    const revoked = await revokeGrant(ports, job, stop);
    if (!revoked.ok)
      throw new Error(`revoking the grant of ${job.connectionId} failed: ${revoked.failure.code}`);
  },
  async read_order(job, stop) {
    const read = await readNotifiedOrder(ports, job, stop);
    if (!read.ok) throw new Error(`reading an order of ${job.connectionId} failed: ${read.failure.code}`);
  },
});

interface WorkerOptions extends DeliveryPoolOptions {
  readonly onEmail: (outcome: 'sent' | 'failed') => void;
  /** Calls the handler for every announcement of work. */
  readonly onWork: WorkSignals['onWork'];
  readonly onDownload: (waitedSeconds: number) => void;
  readonly onPromotion: (promotion: Promotion) => void;
  readonly webhookSchedule: RetrySchedule;
  readonly onWebhookAttempt: (outcome: 'delivered' | 'retry' | 'failed') => void;
  /** Runs a job as a part of the trace that enqueued it. */
  readonly traceJob?: TraceJob | undefined;
}

/** Work on the tables themselves. Each returns the rows of one step, and is called again while it is not 0. */
export interface Maintenance {
  /** Deletes rows that are old enough. */
  readonly purge: () => Promise<number>;
  /** Sums what changed in metrics, so that reports read fewer posts. */
  readonly sumMetrics: () => Promise<number>;
}

/** Runs jobs, and periodically claims due work that has no job: the tables are authoritative. */
export async function startWorker(
  ports: Ports,
  queue: JobQueue,
  { purge, sumMetrics }: Maintenance,
  mailer: Mailer | null,
  {
    onError,
    onEmail,
    onDownload,
    onPromotion,
    onAttempt,
    onWork,
    trace,
    traceJob,
    webhookSchedule,
    onWebhookAttempt,
  }: WorkerOptions,
): Promise<{ stop(): Promise<void> }> {
  const abort = new AbortController();
  const deliveries = deliveryPool(ports, abort.signal, { onError, onAttempt, trace });
  const downloads = fetchPool(ports, abort.signal, { onError, onStart: onDownload });
  const edits = new Set<Promise<unknown>>();
  const editSweep = runPeriodically(
    async () => {
      // A slow account does not delay the others.
      for (const claimed of await claimEdits(ports, EDITS_MAX - edits.size)) {
        const editing = applyEdit(ports, claimed, abort.signal)
          .catch(onError)
          .finally(() => edits.delete(editing));
        edits.add(editing);
      }
    },
    SWEEP_MS,
    onError,
  );
  await queue.work(handlersOf(ports, deliveries, editSweep, downloads), traceJob);
  // Twice the interval, because a sweep takes time as well.
  const dueSweep = runPeriodically(
    async () => {
      const promotion = await recordTimeline(ports);
      if (promotion) onPromotion(promotion);
      await deliveries.sweep(2 * DUE_SWEEP_MS);
    },
    DUE_SWEEP_MS,
    onError,
  );
  const refunds = new Set<Promise<unknown>>();
  const refundSweep = runPeriodically(
    async () => {
      // A slow refund does not delay the others: it has a lease, and is not listed meanwhile.
      for (const { id, workspaceId } of await ports.refunds.listUnsettled(REFUNDS_MAX - refunds.size)) {
        const sending = sendRefund(ports, workspaceId, id)
          .catch(onError)
          .finally(() => refunds.delete(sending));
        refunds.add(sending);
      }
    },
    SWEEP_MS,
    onError,
  );
  const webhooks = webhookPool(ports, abort.signal, {
    schedule: webhookSchedule,
    onAttempt: onWebhookAttempt,
    onError,
  });
  const webhookSweep = runPeriodically(() => webhooks.sweep(), SWEEP_MS, onError);
  onWork((kind) => (kind === 'send_events' ? webhookSweep.wake() : queue.wake(kind)));
  const downloadSweep = runPeriodically(() => downloads.fill(), FETCH_SWEEP_MS, onError);
  const urlSweep = runPeriodically(
    (stop) => resolvePublishedUrls(ports, stop),
    RESOLVE_URL_SWEEP_MS,
    onError,
  );
  const snapshotSweep = runPeriodically(
    async (stop) => void (await takeDueSnapshots(ports, stop, onError)),
    SNAPSHOT_SWEEP_MS,
    onError,
  );
  const orderSweep = runPeriodically(
    (stop) => pollOrderChanges(ports, stop, onError),
    ORDER_SWEEP_MS,
    onError,
  );
  const storeWebhookSweep = runPeriodically(
    (stop) => maintainStoreWebhooks(ports, stop, onError),
    ORDER_SWEEP_MS,
    onError,
  );
  const sumSweep = runPeriodically(
    async (stop) => {
      while (!stop.aborted && (await sumMetrics()) > 0);
    },
    SUM_METRICS_MS,
    onError,
  );
  const auditSealSweep = runPeriodically(
    async (stop) => void (await sealAudit(ports, stop)),
    AUDIT_SEAL_SWEEP_MS,
    onError,
  );
  const receiptSweep = runPeriodically((stop) => applyOldReceipts(ports, stop), RENEW_SWEEP_MS, onError);
  const renewalSweep = runPeriodically(
    async (stop) => void (await renewDueCredentials(ports, stop)),
    RENEW_SWEEP_MS,
    onError,
  );
  const warningSweep = runPeriodically((stop) => warnOfExpiry(ports, stop), WARNING_SWEEP_MS, onError);
  const reviewSweep = runPeriodically(
    async (stop) => {
      await addMissingStoreWebhooks(ports, stop);
      await reviewConnections(ports, stop);
    },
    REVIEW_MS,
    onError,
  );
  // A new version may require other permissions, and support other stores.
  reviewSweep.wake();
  const purgeSweep = runPeriodically(
    async (stop) => {
      while (!stop.aborted && (await purge()) > 0);
      await sweepMedia(ports, stop);
    },
    PURGE_MS,
    onError,
  );
  const choiceSweep = runPeriodically((stop) => sweepChoices(ports, stop), CHOICES_MS, onError);
  const approvalSweep = runPeriodically((stop) => expireApprovals(ports, stop), APPROVAL_SWEEP_MS, onError);
  const notificationSweep =
    mailer &&
    runPeriodically(
      (stop) => sendNotifications(ports, mailer, stop, { onSent: onEmail, onError }),
      NOTIFICATION_SWEEP_MS,
      onError,
    );
  return {
    async stop() {
      const grace = setTimeout(() => abort.abort(), GRACE_MS);
      const sweeps = [
        dueSweep,
        refundSweep,
        editSweep,
        downloadSweep,
        webhookSweep,
        urlSweep,
        snapshotSweep,
        orderSweep,
        storeWebhookSweep,
        sumSweep,
        receiptSweep,
        renewalSweep,
        warningSweep,
        reviewSweep,
        auditSealSweep,
        purgeSweep,
        choiceSweep,
        approvalSweep,
        ...(notificationSweep ? [notificationSweep] : []),
      ];
      await Promise.all([
        deliveries.drain(),
        downloads.drain(),
        webhooks.drain(),
        ...sweeps.map((sweep) => sweep.stop()),
      ]);
      await Promise.all([...refunds, ...edits]);
      clearTimeout(grace);
    },
  };
}
