import { threadCharts } from '@switchboard/charts';
import { auditCounter } from '@switchboard/domain/audit';
import type { Platform, Ports } from '@switchboard/domain/ports';
import {
  guardedAgents,
  guardedFetch,
  smtpMailer,
  undiciDownloads,
  undiciOutbound,
  undiciWebhooks,
} from '@switchboard/egress';
import { openQueue, runPeriodically } from '@switchboard/jobs';
import { linkPreviews, mediaTools } from '@switchboard/media';
import { openAuthorizers } from '@switchboard/oauth';
import { createDispatcher } from '@switchboard/operations';
import {
  callerQueries,
  openNotificationListener,
  prismaCanaries,
  prismaProcessRegistry,
  prismaMediaStores,
  prismaRepositories,
  prismaTransactions,
  purgeExpired,
  requestCounts,
  waitingCounts,
  sampleSealedCredentials,
  sumInvalidatedDays,
  sumRequestedHours,
  thinSnapshots,
} from '@switchboard/persistence';
import {
  hmacApprovalLinks,
  hmacCursors,
  hmacKeyHasher,
  hmacMediaLinks,
  randomIds,
  randomTokens,
  systemSecrets,
} from '@switchboard/vault';
import type { Logger } from 'pino';
import { adapterFaults } from './external-platforms/adapter-faults.js';
import { isolatePlatform, type AdapterFault } from './external-platforms/isolate-platform.js';
import { loadExternalPlatforms } from './external-platforms/load-external-platforms.js';
import { es256Key } from './es256-key.js';
import type { Config } from './config.js';
import { databaseClock } from './database-clock.js';
import { openMigratedDatabase } from './database.js';
import { openMediaStore } from './media-store.js';
import { createMetrics } from './metrics.js';
import { createCallObserver } from './observer.js';
import { keyring } from './keyring.js';
import { observeVault, openVault, requireMasterKeys } from './open-vault.js';
import { outboundWatch } from './outbound-watch.js';
import { platformApps } from './platform-apps.js';
import { platformSettings } from './platform-settings.js';
import { recordProcess } from './process-records.js';
import { registerProcess } from './register-process.js';
import { readiness } from './readiness.js';
import { platformRegistry } from './registry.js';
import { reportAdapterErrors } from './report-adapter-errors.js';
import { notifiedChanges } from './notified-changes.js';
import { leasedLimits } from './leased-limits.js';
import { leasedWaitingSlots } from './leased-waiting-slots.js';
import { memoryAddressThrottle } from './memory-address-throttle.js';
import { installedPlatforms } from './installed-platforms.js';
import { cachedAccessTokens, cachedKeys } from './cached-keys.js';
import { reportPause } from './report-pause.js';
import { runSandbox } from './sandbox.js';
import type { Service } from './service.js';
import {
  traceDeliveries,
  traceDispatch,
  traceDownloads,
  traceEmails,
  traceJobs,
  traceStatements,
  traceWebhooks,
} from './traced-work.js';
import type { Tracing } from './tracing.js';
import { announceWork, WORK_CHANNEL, workSignals } from './work-signals.js';
import { startWorker } from './worker.js';

/** The functions of this process besides serving calls. */
export interface ProcessRole {
  /** The name under which it registers. */
  readonly app: string;
  /** Delivers, settles, reconciles, takes snapshots. */
  readonly worker: boolean;
  /** Serves the sandbox platforms. */
  readonly sandbox: boolean;
  /** Serves the hosted pages. */
  readonly pages: boolean;
}

const BACKLOG_MAX = 10_000;
const KEY_USES_MS = 30_000;
const COUNTS_MS = 5_000;
/** The metadata document of an OAuth client: a visitor waits for it. */
const OAUTH_DOCUMENT_BYTES = 5 * 1024;
const OAUTH_FETCH_SECONDS = 5;

/** The composition root: the only place that knows every implementation. */
export async function assemble(
  config: Config,
  log: Logger,
  role: ProcessRole,
  { instanceId: self, tracing }: { readonly instanceId: string; readonly tracing: Tracing | null },
): Promise<Service> {
  const closing: (() => Promise<unknown>)[] = [];
  const onError = (error: unknown) => log.error({ err: error }, 'background work failed');
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end().catch(onError);
  };
  try {
    if (tracing) closing.push(() => tracing.close());
    const database = await openMigratedDatabase(config, tracing ? traceStatements(tracing) : undefined);
    closing.push(() => database.close());
    const { clock, ...clockSync } = await databaseClock({
      readDatabaseMs: () => database.nowMs(),
      elapsedMs: () => performance.now(),
      onError,
    });
    closing.push(async () => clockSync.stop());
    const ids = randomIds(clock);
    const repositories = prismaRepositories(database.prisma);
    const notices = openNotificationListener(database.directUrl, {
      onError: (error) => log.warn({ err: error }, 'database notifications unavailable (LISTEN failed)'),
      isLazy: role.app === 'cli',
    });
    closing.push(() => notices.close());
    const canaries = prismaCanaries(database.prisma);
    const { dataKeys } = repositories;
    const holders = prismaProcessRegistry(database.prisma);
    const masterKeys = await requireMasterKeys(config);
    const faults = adapterFaults(() => clock.now());
    const registration = await registerProcess({
      adapterFaults: () => faults.list(),
      id: self,
      app: role.app,
      holders,
      masterKeys,
      clock,
      onError,
    });
    closing.push(() => registration.deregister());
    const opened = await openVault(masterKeys, { dataKeys, canaries }, clock);
    const { installation } = opened;
    const vault = observeVault(opened.vault, (operation, outcome) =>
      metrics.vault.inc({ operation, outcome }),
    );
    const secrets = systemSecrets(installation);
    const queue = await openQueue({
      connectionString: database.directUrl,
      worker: role.worker,
      isLazy: role.app === 'cli',
      currentTraceparent: tracing ? () => tracing.traceparent() : undefined,
      onError,
    });
    closing.push(() => queue.stop(10_000));
    const waitingSlots = leasedWaitingSlots(waitingCounts(database.query), self, onError);
    closing.push(async () => waitingSlots.close());
    const signals = workSignals({
      notices,
      notify: (payload) => database.query('SELECT pg_notify($1, $2)', [WORK_CHANNEL, payload]),
      onError,
    });
    closing.push(() => signals.close());
    const transactions = announceWork(
      prismaTransactions(database.prisma, {
        ids,
        clock,
        jobsIn: queue.jobsIn,
        ...(tracing && { currentTraceparent: () => tracing.traceparent() }),
      }),
      signals,
    );

    const counter = auditCounter({ transactions, clock });
    const auditFlush = runPeriodically(() => counter.flush('ended'), COUNTS_MS, onError);
    closing.push(async () => {
      await auditFlush.stop();
      await counter.flush('all');
    });

    const sandbox = await runSandbox(config, role.sandbox);
    if (sandbox) closing.push(() => sandbox.close());
    const settings = platformSettings(config, sandbox);
    for (const { name, reason } of loadExternalPlatforms(config.externalPlatforms).rejected)
      log.error({ platform: name, reason }, 'external platform left out');
    const reportFault = (fault: AdapterFault) => {
      faults.add(fault);
      const { error: err, ...facts } = fault;
      log.error({ ...facts, err }, 'fault of an external adapter');
    };
    const isolated = (platform: Platform) =>
      platform.manifest.source === 'external' ? isolatePlatform(platform, { report: reportFault }) : platform;
    const installed = installedPlatforms(config, sandbox).map((platform) =>
      reportAdapterErrors(
        isolated(settings.withSettings(platform)),
        (err) => log.error({ err, platform: platform.manifest.id }, 'adapter error'),
        (reason) => log.warn({ platform: platform.manifest.id, reason }, 'account cannot be parsed'),
      ),
    );
    const { platforms, manifests } = platformRegistry(installed, {
      missing: settings.missing,
      clientId: ({ id }) => settings.appOf(id)?.clientId ?? null,
    });
    const { allowPrivateHosts } = settings;
    const userAgent = `Switchboard/${config.version}`;
    const tools = mediaTools({
      onError: (error) => log.error({ err: error }, 'media decoder crashed'),
      onBegin: (seconds) => metrics.mediaWait.observe({ queue: 'decode' }, seconds),
    });
    closing.push(() => tools.close());
    const metrics = createMetrics({
      version: config.version,
      queueDepth: () => queue.depth(),
      notices,
      connections: () => database.connections(),
      mediaDepth: async () => ({
        decoding: tools.depth(),
        downloads: await repositories.media.countToFetch(),
      }),
      deliveryBacklog: () => repositories.deliveries.measureBacklog(BACKLOG_MAX),
      oldestWebhookSeconds: async () => {
        const oldest = await repositories.webhooks.findOldestUndelivered();
        return oldest ? (clock.now().getTime() - oldest.getTime()) / 1000 : 0;
      },
      pendingApprovals: () => repositories.approvals.countPending(),
      countPaused: () => repositories.pauses.countPaused(),
    });
    const watch = outboundWatch(metrics.registry, log, tracing);
    const outbound = undiciOutbound({ allowPrivateHosts, userAgent, observer: watch });
    const guardedDownloads = undiciDownloads({ allowPrivateHosts, userAgent });
    closing.push(() => guardedDownloads.close());
    const downloads = tracing ? traceDownloads(guardedDownloads, tracing) : guardedDownloads;
    const webhooks = undiciWebhooks({ allowPrivateHosts, userAgent });
    closing.push(() => webhooks.close());
    const charts = threadCharts();
    closing.push(() => charts.close());
    const agents = guardedAgents({ allowPrivateHosts });
    closing.push(() => outbound.close());
    const apps = platformApps({
      platformApps: repositories.platformApps,
      vault,
      manifests,
      environmentApp: settings.appOf,
    });
    const oauth = openAuthorizers({
      onRenewal: (platform, outcome) => metrics.renewals.inc({ platform, outcome }),
      connections: repositories.connections,
      credentials: repositories.credentials,
      transactions,
      auditCounter: counter,
      vault,
      clock,
      ids,
      manifests,
      outbound,
      agents,
      apps,
      origins: settings.origins,
      atproto: {
        fetch: guardedFetch(outbound),
        publicUrl: config.publicUrl,
        clientName: 'Switchboard',
        keys: () => Promise.resolve([es256Key(installation.derive('atproto-signing-key'))]),
        plcDirectoryUrl: config.plcDirectoryUrl,
        handleResolverUrl: config.handleResolverUrl,
        allowHttp: config.mode !== 'production',
      },
    });

    const tokens = randomTokens();
    const mediaStore = await openMediaStore(config, prismaMediaStores(database.prisma), tokens);
    closing.push(async () => mediaStore.close());
    const ports: Ports = {
      ...repositories,
      apiKeys: cachedKeys(repositories.apiKeys, notices, () => performance.now()),
      accessTokens: cachedAccessTokens(repositories.accessTokens, notices, () => performance.now()),
      limits: leasedLimits(
        requestCounts(database.query),
        { key: config.rateLimit, workspace: config.workspaceRateLimit },
        () => performance.now(),
        (error) => log.warn({ err: error }, 'rate limits fall back to per-process counting'),
        // A client may start a process for each of its calls, and a slice is lost with its process.
        role.app === 'mcp-stdio' ? 100 : undefined,
      ),
      waitingSlots,
      changes: notifiedChanges(notices),
      callerQueries,
      addressThrottle: memoryAddressThrottle(config.unauthenticatedRateLimit),
      clock,
      ids,
      vault,
      transactions,
      platforms,
      manifests,
      auditCounter: counter,
      sessions: oauth.sessions,
      authorizers: oauth.authorizers,
      cursors: hmacCursors({ key: secrets.cursorKey }),
      keyHasher: hmacKeyHasher({ pepper: secrets.pepper }),
      tokens,
      downloads,
      webhookClient: tracing ? traceWebhooks(webhooks, tracing) : webhooks,
      charts,
      mediaFiles: mediaStore.files,
      mediaTools: tools,
      linkPreviews: linkPreviews({ downloads, mediaTools: tools }),
      approvalLinks: hmacApprovalLinks({ key: secrets.approvalLinkKey, publicUrl: config.publicUrl }),
      mediaLinks: hmacMediaLinks({ key: secrets.mediaLinkKey, publicUrl: config.publicUrl, clock }),
      settings: {
        publicUrl: config.publicUrl,
        mcpUrl: `${config.mcpPublicUrl}/mcp`,
        version: config.version,
        production: config.mode === 'production',
        sandbox: config.sandbox,
        get hostedPages() {
          return role.pages || registration.isRunning('rest');
        },
        sendsEmail: config.smtp !== null,
      },
    };
    const observer = createCallObserver(log, metrics, clock);
    const writeUses = async () => {
      const { keys, clients } = observer.takeUses();
      if (keys.length > 0) await repositories.apiKeys.touch(keys);
      if (clients.length > 0) await repositories.clients.touch(clients);
    };
    const uses = setInterval(() => void writeUses().catch(onError), KEY_USES_MS).unref();
    closing.push(writeUses, async () => clearInterval(uses));
    await reportPause(ports, config, role.app, log);
    if (role.worker) {
      const mailer = config.smtp && smtpMailer(config.smtp);
      const worker = await startWorker(
        ports,
        queue,
        {
          purge: async () =>
            (await purgeExpired(database.prisma, {
              now: clock.now(),
              eventDays: config.eventDays,
              historyDays: config.historyDays,
            })) + (await thinSnapshots(database.prisma)),
          sumMetrics: async () =>
            (await sumInvalidatedDays(database.prisma)) + (await sumRequestedHours(database.prisma)),
        },
        mailer && tracing ? traceEmails(mailer, tracing) : mailer,
        {
          onError,
          onWork: (handler) =>
            // The call that announces work does not do it.
            signals.onWork(tracing ? (kind) => tracing.detached(() => handler(kind)) : handler),
          ...(tracing && { trace: traceDeliveries(tracing), traceJob: traceJobs(tracing) }),
          onEmail: (outcome) => metrics.emails.inc({ outcome }),
          webhookSchedule: config.webhookSchedule,
          onWebhookAttempt: (outcome) => metrics.webhookAttempts.inc({ outcome }),
          onPromotion: (promotion) =>
            log.warn(
              promotion,
              'the database failed over or was restored: what waits is read back before it is sent',
            ),
          onDownload: (seconds) => metrics.mediaWait.observe({ queue: 'download' }, seconds),
          onAttempt({ platform, outcome, latenessSeconds }) {
            metrics.deliveries.inc({ platform, outcome });
            if (latenessSeconds !== null) metrics.lateness.observe({ platform }, latenessSeconds);
          },
        },
      );
      closing.push(() => worker.stop());
    }
    const checkReadiness = readiness({ database, vault, masterKeys, dataKeys, mediaStore, notices });
    let isLeaving = false;
    return {
      config,
      log,
      ports,
      observer,
      dispatch: tracing
        ? traceDispatch(createDispatcher(ports, observer), tracing)
        : createDispatcher(ports, observer),
      tracing,
      metrics: { contentType: metrics.registry.contentType, text: () => metrics.text() },
      async ready() {
        const found = await checkReadiness();
        return isLeaving ? { ready: false, checks: { ...found.checks, process: 'stopping' } } : found;
      },
      async leave() {
        isLeaving = true;
        await clock.sleep(config.drainSeconds * 1000);
      },
      keyring: keyring({
        self,
        masterKeys,
        dataKeys,
        canaries,
        holders,
        transactions,
        clock,
        samples: (limit) => sampleSealedCredentials(database.prisma, limit),
      }),
      databaseStopped: database.stopped,
      atproto: { clientMetadata: () => oauth.clientMetadata(), jwks: () => oauth.jwks() },
      oauth: {
        fetch: guardedFetch(outbound, {
          maxBytes: OAUTH_DOCUMENT_BYTES,
          deadlineSeconds: OAUTH_FETCH_SECONDS,
        }),
        onRequest: (endpoint, outcome) => metrics.oauthRequests.inc({ endpoint, outcome }),
      },
      instanceId: self,
      // Removed last: until then the process holds its database.
      announce: async (app) => {
        const record = { app, instance_id: self, started_at: clock.now().toISOString() };
        closing.unshift(await recordProcess(config, record));
      },
      drain: () => tools.drain(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
