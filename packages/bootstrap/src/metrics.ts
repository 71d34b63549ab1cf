import type { PauseScope } from '@switchboard/domain/pauses';
import type { Deliveries, PendingApprovals } from '@switchboard/domain/ports';
import type { Database, NotificationListener } from '@switchboard/persistence';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Waiting media: to be inspected or resized by this process, or to be downloaded by any process. */
interface MediaQueueDepth {
  readonly decoding: { readonly waiting: number; readonly running: number };
  readonly downloads: number;
}

/** What is read when metrics are requested. A rejection leaves the metric out. */
interface MetricSources {
  readonly version: string;
  readonly queueDepth: () => Promise<ReadonlyMap<string, number>>;
  readonly notices: Pick<NotificationListener, 'state'>;
  readonly connections: Database['connections'];
  readonly mediaDepth: () => Promise<MediaQueueDepth>;
  readonly deliveryBacklog: () => ReturnType<Deliveries['measureBacklog']>;
  readonly oldestWebhookSeconds: () => Promise<number>;
  readonly pendingApprovals: () => Promise<readonly PendingApprovals[]>;
  readonly countPaused: () => Promise<Readonly<Record<PauseScope, number>>>;
}

/** The Prometheus metrics of this process. */
export function createMetrics({
  version,
  queueDepth,
  notices,
  connections,
  mediaDepth,
  deliveryBacklog,
  oldestWebhookSeconds,
  pendingApprovals,
  countPaused,
}: MetricSources) {
  const registry = new Registry();
  let measuresRuntime = false;
  new Gauge({
    name: 'switchboard_build_info',
    help: '1, with the version of this process.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  const pool = new Gauge({
    name: 'switchboard_database_connections',
    help: 'Connections of this process for queries, by state: active, idle; waiting: work without one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(connections())) pool.set({ state }, count);
    },
  });
  const oldestDue = new Gauge({
    name: 'switchboard_delivery_oldest_due_seconds',
    help: 'How long the oldest delivery has been due that no worker has begun; 0 without one. The same from every process.',
    registers: [registry],
  });
  new Gauge({
    name: 'switchboard_deliveries_due',
    help: 'Deliveries that are due and that no worker has begun, at most 10000. The same from every process.',
    registers: [registry],
    async collect() {
      const backlog = await deliveryBacklog().catch(() => null);
      this.set(backlog?.due ?? Number.NaN);
      oldestDue.set(backlog?.oldestSeconds ?? Number.NaN);
    },
  });
  const queued = new Gauge({
    name: 'switchboard_jobs_queued',
    help: 'Jobs that are scheduled or waiting for a worker.',
    labelNames: ['job'],
    registers: [registry],
    async collect() {
      const depth = await queueDepth().catch(() => new Map<string, number>());
      for (const [job, count] of depth) queued.set({ job }, count);
    },
  });
  const media = new Gauge({
    name: 'switchboard_media_queue_items',
    help: 'Media in the queues: decode (this process: waiting or running), download (all processes: to be fetched from a URL).',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      const depth = await mediaDepth().catch(() => null);
      media.reset();
      if (depth === null) return;
      media.set({ queue: 'decode', state: 'waiting' }, depth.decoding.waiting);
      media.set({ queue: 'decode', state: 'running' }, depth.decoding.running);
      media.set({ queue: 'download', state: 'unfinished' }, depth.downloads);
    },
  });
  new Gauge({
    name: 'switchboard_webhook_oldest_pending_seconds',
    help: 'How long the oldest event waits that an enabled webhook has not accepted; 0 without one.',
    registers: [registry],
    async collect() {
      this.set(await oldestWebhookSeconds().catch(() => Number.NaN));
    },
  });
  const approvals = new Gauge({
    name: 'switchboard_approvals_pending',
    help: 'Requests that wait for a person’s approval, by kind (post, refund).',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const counts = await pendingApprovals().catch(() => null);
      approvals.reset();
      for (const { kind, count } of counts ?? []) approvals.set({ kind }, count);
    },
  });
  const paused = new Gauge({
    name: 'switchboard_paused',
    help: 'How many are paused and hold their posts and refunds, by scope: installation (0 or 1), profile, connection.',
    labelNames: ['scope'],
    registers: [registry],
    async collect() {
      const counts = await countPaused().catch(() => null);
      paused.reset();
      for (const [scope, count] of Object.entries(counts ?? {})) paused.set({ scope }, count);
    },
  });
  new Gauge({
    name: 'switchboard_notices_listening',
    help: '1 while LISTEN is connected and key changes arrive at once; 0 while keys are polled every second.',
    registers: [registry],
    collect() {
      this.set(notices.state() === 'listening' ? 1 : 0);
    },
  });
  return {
    registry,
    /**
     * All metrics. Those of Node.js are measured from the first call on: for the delay of the event loop it wakes the
     * process a hundred times a second, and most processes are never asked.
     */
    text(): Promise<string> {
      if (!measuresRuntime) collectDefaultMetrics({ register: registry, prefix: 'switchboard_' });
      measuresRuntime = true;
      return registry.metrics();
    },
    calls: new Counter({
      name: 'switchboard_operations_total',
      help: 'Operation calls, by outcome: ok or the failure code.',
      labelNames: ['operation', 'surface', 'outcome'],
      registers: [registry],
    }),
    renewals: new Counter({
      name: 'switchboard_token_renewals_total',
      help: 'Token renewals, by outcome: renewed, recovered (an earlier response was found), failed, ended.',
      labelNames: ['platform', 'outcome'],
      registers: [registry],
    }),
    oauthRequests: new Counter({
      name: 'switchboard_oauth_requests_total',
      help: 'Requests of OAuth clients by endpoint (authorize, token, register, revoke), and decisions of the consent page (consent), by outcome: ok or the error of the response.',
      labelNames: ['endpoint', 'outcome'],
      registers: [registry],
    }),
    emails: new Counter({
      name: 'switchboard_emails_total',
      help: 'E-mail notifications, by outcome: sent, failed.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    deliveries: new Counter({
      name: 'switchboard_deliveries_total',
      help: 'Attempts and read-backs of deliveries, by outcome: published, retry, blocked, failed, unknown, needs_review, missed.',
      labelNames: ['platform', 'outcome'],
      registers: [registry],
    }),
    /** From the publish time of a delivery to its first attempt. */
    lateness: new Histogram({
      name: 'switchboard_delivery_lateness_seconds',
      help: 'Time from the publish time of a delivery to its first attempt.',
      labelNames: ['platform'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600, 21600],
      registers: [registry],
    }),
    vault: new Counter({
      name: 'switchboard_vault_operations_total',
      help: 'Operations of the vault (unlock, seal, open), by outcome: ok or the failure code.',
      labelNames: ['operation', 'outcome'],
      registers: [registry],
    }),
    webhookAttempts: new Counter({
      name: 'switchboard_webhook_attempts_total',
      help: 'Attempts of webhook deliveries, by outcome: delivered, retry, failed (the last one).',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    /** The time that media waited before processing. */
    mediaWait: new Histogram({
      name: 'switchboard_media_queue_wait_seconds',
      help: 'Time that media waited before it was decoded or downloaded, by queue.',
      labelNames: ['queue'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers: [registry],
    }),
    seconds: new Histogram({
      name: 'switchboard_operation_duration_seconds',
      help: 'Duration of operation calls.',
      labelNames: ['operation', 'surface'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
