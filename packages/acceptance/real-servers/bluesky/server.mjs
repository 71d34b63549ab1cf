// Starts a Bluesky PDS and the DID directory (PLC) in which it registers its accounts, both on 127.0.0.1 and
// both empty. Prints one line of JSON on stdout when both accept requests, and exits on SIGTERM, on SIGINT
// and when stdin closes, so that a killed test run leaves no process behind. PDS_PORT and PLC_PORT set the
// ports; the default is a free port.
//
// A line {"id":1,"drop":"response","method":"com.atproto.repo.putRecord"} on stdin breaks the connection of the
// next call of that method: after the PDS completed the call ("response") or before the PDS received it
// ("request"). The server acknowledges the line with {"id":1} on stdout.
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './loopback.mjs';

const STOP_DEADLINE_MS = 3_000;

let directory;
let stopping = false;
const closers = [];

async function stop(exitCode) {
  if (stopping) return;
  stopping = true;
  const deadline = setTimeout(() => process.exit(exitCode), STOP_DEADLINE_MS);
  for (const close of closers.reverse()) await close().catch(() => {});
  if (directory !== undefined) await rm(directory, { recursive: true, force: true }).catch(() => {});
  clearTimeout(deadline);
  process.exit(exitCode);
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(0));
process.stdin.on('error', () => void stop(0));
const commands = createInterface({ input: process.stdin }).on('close', () => void stop(0));

function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// Breaks connections as a network failure does, in front of an unmodified PDS.
function breakConnectionsOnCommand(server) {
  const planned = [];
  commands.on('line', (line) => {
    const { id, drop, method } = JSON.parse(line);
    planned.push({ drop, path: `/xrpc/${method}` });
    print({ id });
  });

  const emit = server.emit.bind(server);
  server.emit = (event, ...values) => {
    if (event !== 'request') return emit(event, ...values);
    const [request, response] = values;
    const [path] = request.url.split('?');
    const index = planned.findIndex((fault) => fault.path === path && request.method !== 'OPTIONS');
    if (index < 0) return emit(event, ...values);
    const [fault] = planned.splice(index, 1);
    if (fault.drop === 'request') return request.socket.destroy();
    response.write = () => true;
    response.end = () => request.socket.destroy();
    return emit(event, ...values);
  };
}

async function start() {
  const { Database, PlcServer } = createRequire(import.meta.url)('@did-plc/server');
  const { PDS } = await import('@atproto/pds');
  const { Secp256k1Keypair } = await import('@atproto/crypto');

  directory = await mkdtemp(join(tmpdir(), 'switchboard-bluesky-'));
  await mkdir(join(directory, 'data'));

  const plcPort = Number(process.env.PLC_PORT) || (await freePort());
  const plc = PlcServer.create({ db: Database.mock(), port: plcPort });
  await plc.start();
  closers.push(() => plc.destroy());

  const rotationKey = await Secp256k1Keypair.create({ exportable: true });
  const recoveryKey = await Secp256k1Keypair.create();
  const port = Number(process.env.PDS_PORT) || (await freePort());
  const pds = await PDS.fromEnv({
    devMode: true, // Accepts http://localhost:port as its own URL.
    port,
    hostname: 'localhost',
    dataDirectory: join(directory, 'data'),
    blobstoreDiskLocation: join(directory, 'blobs'),
    didPlcUrl: `http://localhost:${plcPort}`,
    recoveryDidKey: recoveryKey.did(),
    plcRotationKeyK256PrivateKeyHex: Buffer.from(await rotationKey.export()).toString('hex'),
    adminPassword: randomBytes(16).toString('hex'),
    jwtSecret: randomBytes(16).toString('hex'),
    dpopSecret: randomBytes(32).toString('hex'),
    serviceHandleDomains: ['.test'],
    inviteRequired: false,
    disableSsrfProtection: true,
    // Required settings. No app view listens at this URL: endpoints that need one (counts, feeds) return 502.
    bskyAppViewUrl: 'https://appview.invalid',
    bskyAppViewDid: 'did:example:invalid',
    modServiceUrl: 'https://moderator.invalid',
    modServiceDid: 'did:example:invalid',
  });
  breakConnectionsOnCommand(await pds.start());
  closers.push(() => pds.destroy());

  print({ url: `http://localhost:${port}`, plcUrl: `http://localhost:${plcPort}` });
}

start().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return stop(1);
});
