// A Bluesky PDS and the DID directory (PLC) that it registers its accounts with, both on 127.0.0.1, both empty.
// Prints one line of JSON on stdout when both answer, and exits on SIGTERM, on SIGINT and as soon as stdin closes,
// so that a test run which is killed leaves no process behind.
// PDS_PORT and PLC_PORT choose the ports; by default they are free ones.
//
// A line {"id":1,"lose":"answer","method":"com.atproto.repo.putRecord"} on stdin makes the connection break on the
// next call of that method: after the PDS did the work ("answer") or before it saw the call ("request").
// It is acknowledged with {"id":1} on stdout.
import { Buffer } from 'node:buffer';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const LOOPBACK = '127.0.0.1';
const STOP_DEADLINE_MS = 3_000;

// Neither server has a setting for the address, and both would listen on every interface.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  if (typeof first !== 'number') return listen.call(this, first, ...rest);
  return listen.call(
    this,
    { port: first, host: LOOPBACK },
    ...rest.filter((value) => typeof value === 'function'),
  );
};

// Below 32768 no client socket of this machine is given the port between the probe and the use.
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = net.createServer();
    const free = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

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

// Breaks connections the way a network does, in front of an untouched PDS.
function breakConnectionsOnCommand(server) {
  const planned = [];
  commands.on('line', (line) => {
    const { id, lose, method } = JSON.parse(line);
    planned.push({ lose, path: `/xrpc/${method}` });
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
    if (fault.lose === 'request') return request.socket.destroy();
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
    devMode: true, // accepts http://localhost:port as its own address
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
    // Required settings. Nothing listens there: what only the app view knows (counts, feeds) answers 502.
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
