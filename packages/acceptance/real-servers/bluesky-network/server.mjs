// Starts a Bluesky network on 127.0.0.1: DID directory, PDS, and the app view that counts likes, reposts and
// replies. DATABASE_URL is an empty PostgreSQL database for the app view. Prints one line of JSON on stdout when
// all accept requests, and exits on SIGTERM, on SIGINT and when stdin closes, so that a killed test run leaves
// no process behind.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../bluesky/loopback.mjs';

const STOP_DEADLINE_MS = 3_000;

const closers = [];
let stopping = false;
async function stop(exitCode) {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(exitCode), STOP_DEADLINE_MS).unref();
  await Promise.allSettled(closers.reverse().map((close) => close()));
  process.exit(exitCode);
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(0));
process.stdin
  .on('error', () => void stop(0))
  .on('close', () => void stop(0))
  .resume();

async function start() {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bluesky-network-'));
  closers.push(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'data'));
  const { mockNetworkUtilities, TestBsky, TestBsync, TestPds, TestPlc } = await import('@atproto/dev-env');
  const dbUrl = process.env.DATABASE_URL;
  const plc = await TestPlc.create({ port: await freePort() });
  closers.push(() => plc.close());
  const bsync = await TestBsync.create({
    port: await freePort(),
    apiKeys: ['bsync-api-key'],
    dbUrl,
    dbSchema: 'bsync',
  });
  closers.push(() => bsync.close());
  const pdsPort = await freePort();
  const appView = await TestBsky.create({
    port: await freePort(),
    plcUrl: plc.url,
    pdsPort,
    bsyncApiKey: 'bsync-api-key',
    bsyncUrl: bsync.url,
    repoProvider: `ws://localhost:${pdsPort}`,
    dbPostgresSchema: 'appview',
    dbPostgresUrl: dbUrl,
  });
  closers.push(() => appView.close());
  bsync.ctx.dataplaneClients = [appView.ctx.dataplane];
  const pds = await TestPds.create({
    port: pdsPort,
    hostname: 'localhost',
    dataDirectory: join(directory, 'data'),
    blobstoreDiskLocation: join(directory, 'blobs'),
    didPlcUrl: plc.url,
    bskyAppViewUrl: appView.url,
    bskyAppViewDid: appView.ctx.cfg.serverDid,
  });
  closers.push(() => pds.close());
  mockNetworkUtilities(pds, appView);
  process.stdout.write(`${JSON.stringify({ url: pds.url, plcUrl: plc.url })}\n`);
}

start().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return stop(1);
});
