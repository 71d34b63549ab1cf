/**
 * The supervisor: one detached process per data directory, which owns the embedded PostgreSQL server as its
 * child process and restarts it when it exits. The supervisor is detached because a server that belonged to
 * the first client would exit with that client. It runs until the last lease has ended and no other has
 * started for the idle time.
 *
 * Usage: node supervisor.js <data directory> <idle milliseconds> <durable|disposable>
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  choosePort,
  clusterUrl,
  ensureCluster,
  recoverCluster,
  startServer,
  type PostgresServer,
} from './cluster.js';
import { getControlFiles, readJson, writeJson, type ClusterSecret } from './control-files.js';
import { tryAcquireSupervisorLock, type SupervisorLock } from './try-acquire-supervisor-lock.js';
import { prepareLayout, removeAbandonedClusters, type ClusterLayout } from './layout.js';
import { openLeaseServer, type LeaseServer } from './lease-server.js';

const LOG_BYTES_MAX = 1_000_000;
const RESTART_MS = 60_000;
const RESTART_PAUSE_MS = 200;

const [stateDir = '', idleMilliseconds = '3000', durability = 'durable'] = process.argv.slice(2);
const disposable = durability === 'disposable';
const files = getControlFiles(stateDir);

const lock = await acquireSupervisorLock();
const log = openLog();
const logLine = (text: string) => log.write(`${new Date().toISOString()} [${process.pid}] ${text}\n`);
let server: PostgresServer | undefined;
let leaseServer: LeaseServer | undefined;
let idle: NodeJS.Timeout | undefined;
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(`received ${signal}`, { deliberately: true }));
}
await start().catch(fail);

async function fail(error: unknown): Promise<void> {
  const reason = messageOf(error);
  await writeFile(files.failure, reason, { mode: 0o600 });
  await stop(`failed: ${reason}`, { code: 1 });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits while another supervisor stops; exits this process when another supervisor is active. */
async function acquireSupervisorLock(): Promise<SupervisorLock> {
  for (;;) {
    const lock = tryAcquireSupervisorLock(files.lock);
    if (lock) return lock;
    if (existsSync(files.info)) process.exit(0);
    await sleep(30);
  }
}

function openLog() {
  const size = statSync(files.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(files.log, `${files.log}.old`);
  return createWriteStream(files.log, { flags: 'a', mode: 0o600 });
}

async function start(): Promise<void> {
  const started = performance.now();
  const elapsed = () => `${Math.round(performance.now() - started)} ms`;
  await rm(files.info, { force: true });
  await rm(files.failure, { force: true });

  let secret = await loadSecret();
  const layout = await prepareLayout(stateDir, secret.clusterId, logLine);
  await recoverCluster(layout.data, logLine);
  const cluster = await ensureCluster(layout, secret.password);
  logLine(`cluster ${cluster} at ${layout.data} after ${elapsed()}`);
  secret = { ...secret, port: await choosePort(secret.port) };
  await writeJson(files.secret, secret);

  server = startServer(layout, secret, { disposable, log });
  await server.ready;
  const token = randomBytes(16).toString('hex');
  leaseServer = await openLeaseServer(token, {
    onOccupancyChange: (occupied) => (occupied ? clearTimeout(idle) : startIdleTimer()),
    onStopRequest: () => void stop('stop requested', { deliberately: true }),
  });
  const leasePort = leaseServer.port;
  const writeServerInfo = async ({ pid }: PostgresServer) => {
    if (stopping) return;
    const url = clusterUrl(secret);
    await writeJson(files.info, { url, token, leasePort, keeperPid: process.pid, postgresPid: pid });
  };
  await writeServerInfo(server);
  logLine(`ready after ${elapsed()}`);
  startIdleTimer();
  superviseServer(layout, secret, server, writeServerInfo).catch(fail);
}

/**
 * A server that exits without a stop request is restarted on the same port. Leases continue; new ones wait
 * until it accepts connections.
 */
async function superviseServer(
  layout: ClusterLayout,
  secret: ClusterSecret,
  first: PostgresServer,
  announce: (server: PostgresServer) => Promise<void>,
): Promise<void> {
  let running: PostgresServer | null = first;
  while (running) {
    const reason = await running.exited;
    if (stopping) return;
    logLine(`restarting: ${reason}`);
    await rm(files.info, { force: true });
    running = await restartServer(layout, secret);
    if (running) await announce(running);
  }
}

/** Null when a stop is requested during the restart. A restart that takes more than a minute is a failure. */
async function restartServer(layout: ClusterLayout, secret: ClusterSecret): Promise<PostgresServer | null> {
  const deadline = performance.now() + RESTART_MS;
  for (;;) {
    await recoverCluster(layout.data, logLine);
    if (stopping) return null;
    server = startServer(layout, secret, { disposable, log });
    try {
      await server.ready;
      logLine('ready after restart');
      return server;
    } catch (error) {
      if (stopping) return null;
      if (performance.now() > deadline) throw error;
      logLine(`start failed: ${messageOf(error)}`);
    }
    await sleep(RESTART_PAUSE_MS);
  }
}

/** Written before the cluster is created: a cluster whose password is lost could never be opened again. */
async function loadSecret(): Promise<ClusterSecret> {
  const known = await readJson<ClusterSecret>(files.secret);
  if (known) return known;
  if (disposable) await removeAbandonedClusters(stateDir);
  const secret = {
    clusterId: randomBytes(8).toString('hex'),
    password: randomBytes(18).toString('base64url'),
    port: 0,
  };
  await writeJson(files.secret, secret);
  return secret;
}

function startIdleTimer(): void {
  clearTimeout(idle);
  idle = setTimeout(() => void stop('last lease released'), Number(idleMilliseconds));
}

async function stop(reason: string, { deliberately = false, code = 0 } = {}): Promise<void> {
  if (stopping) return;
  stopping = true;
  logLine(`stopping: ${reason}`);
  clearTimeout(idle);
  await rm(files.info, { force: true });
  leaseServer?.close(deliberately);
  await server?.stop();
  logLine('stopped');
  lock.release();
  log.end(() => process.exit(code));
}
