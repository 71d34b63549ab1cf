/**
 * The keeper: one detached process for each data directory, which owns the embedded PostgreSQL server as its
 * child, and starts it again when it ends. The keeper has no parent itself: a server that belonged to the process that came
 * first would go with it. It serves until the last lease has ended and no other has begun for a while.
 *
 * Usage: node keeper.js <data directory> <idle milliseconds> <durable|disposable>
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort, clusterUrl, ensureCluster, recover, startServer, type Server } from './cluster.js';
import { controlFiles, readJson, writeJson, type ClusterSecret } from './control-files.js';
import { takeKeeperLock, type KeeperLock } from './keeper-lock.js';
import { prepareLayout, removeAbandoned, type Layout } from './layout.js';
import { openLeaseDesk, type LeaseDesk } from './lease-desk.js';

const LONGEST_LOG_BYTES = 1_000_000;
const RESTART_MS = 60_000;
const RESTART_PAUSE_MS = 200;

const [stateDir = '', idleMilliseconds = '3000', durability = 'durable'] = process.argv.slice(2);
const disposable = durability === 'disposable';
const files = controlFiles(stateDir);

const lock = await becomeKeeper();
const log = openLog();
const say = (text: string) => log.write(`${new Date().toISOString()} [${process.pid}] ${text}\n`);
let server: Server | undefined;
let desk: LeaseDesk | undefined;
let idle: NodeJS.Timeout | undefined;
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(`received ${signal}`, { deliberately: true }));
}
await serve().catch(fail);

async function fail(error: unknown): Promise<void> {
  const reason = messageOf(error);
  await writeFile(files.failure, reason, { mode: 0o600 });
  await stop(`failed: ${reason}`, { code: 1 });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits while another keeper stops; ends this process when another keeper serves. */
async function becomeKeeper(): Promise<KeeperLock> {
  for (;;) {
    const lock = takeKeeperLock(files.lock);
    if (lock) return lock;
    if (existsSync(files.info)) process.exit(0);
    await sleep(30);
  }
}

function openLog() {
  const size = statSync(files.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONGEST_LOG_BYTES) renameSync(files.log, `${files.log}.old`);
  return createWriteStream(files.log, { flags: 'a', mode: 0o600 });
}

async function serve(): Promise<void> {
  const started = performance.now();
  const elapsed = () => `${Math.round(performance.now() - started)} ms`;
  await rm(files.info, { force: true });
  await rm(files.failure, { force: true });

  let secret = await loadSecret();
  const layout = await prepareLayout(stateDir, secret.clusterId);
  await recover(layout.data, say);
  const cluster = await ensureCluster(layout, secret.password);
  say(`cluster ${cluster} at ${layout.data} after ${elapsed()}`);
  secret = { ...secret, port: await choosePort(secret.port) };
  await writeJson(files.secret, secret);

  server = startServer(layout, secret, { disposable, log });
  await server.ready;
  const token = randomBytes(16).toString('hex');
  desk = await openLeaseDesk(token, {
    onOccupied: (occupied) => (occupied ? clearTimeout(idle) : armIdle()),
    onStopRequest: () => void stop('asked to stop', { deliberately: true }),
  });
  const leasePort = desk.port;
  const announce = async ({ pid }: Server) => {
    if (stopping) return;
    const url = clusterUrl(secret);
    await writeJson(files.info, { url, token, leasePort, keeperPid: process.pid, postgresPid: pid });
  };
  await announce(server);
  say(`ready after ${elapsed()}`);
  armIdle();
  keepServing(layout, secret, server, announce).catch(fail);
}

/** A server that ends without having been stopped starts again on the same port. Leases go on; new ones wait until it accepts connections. */
async function keepServing(
  layout: Layout,
  secret: ClusterSecret,
  first: Server,
  announce: (server: Server) => Promise<void>,
): Promise<void> {
  let running: Server | null = first;
  while (running) {
    const reason = await running.ended;
    if (stopping) return;
    say(`starting again: ${reason}`);
    await rm(files.info, { force: true });
    running = await startAgain(layout, secret);
    if (running) await announce(running);
  }
}

/** Null when the keeper is asked to stop meanwhile. What cannot be started within a minute is a failure. */
async function startAgain(layout: Layout, secret: ClusterSecret): Promise<Server | null> {
  const deadline = performance.now() + RESTART_MS;
  for (;;) {
    await recover(layout.data, say);
    if (stopping) return null;
    server = startServer(layout, secret, { disposable, log });
    try {
      await server.ready;
      say('ready again');
      return server;
    } catch (error) {
      if (stopping) return null;
      if (performance.now() > deadline) throw error;
      say(`not started: ${messageOf(error)}`);
    }
    await sleep(RESTART_PAUSE_MS);
  }
}

/** Written before the cluster is made: a cluster whose password is lost could never be opened again. */
async function loadSecret(): Promise<ClusterSecret> {
  const known = await readJson<ClusterSecret>(files.secret);
  if (known) return known;
  if (disposable) await removeAbandoned(stateDir);
  const secret = {
    clusterId: randomBytes(8).toString('hex'),
    password: randomBytes(18).toString('base64url'),
    port: 0,
  };
  await writeJson(files.secret, secret);
  return secret;
}

function armIdle(): void {
  clearTimeout(idle);
  idle = setTimeout(() => void stop('no lease is left'), Number(idleMilliseconds));
}

async function stop(reason: string, { deliberately = false, code = 0 } = {}): Promise<void> {
  if (stopping) return;
  stopping = true;
  say(`stopping: ${reason}`);
  clearTimeout(idle);
  await rm(files.info, { force: true });
  desk?.close(deliberately);
  await server?.stop();
  say('stopped');
  lock.release();
  log.end(() => process.exit(code));
}
