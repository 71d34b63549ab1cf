// A Medusa store with seeded orders, in the empty database that DATABASE_URL names, on 127.0.0.1 and a free port.
// Prints one line of JSON on stdout when it answers: {url, key, orders}. Ends on SIGTERM, on SIGINT and as soon as
// stdin closes, so that a test run which is killed leaves no process behind.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const FOLDER = import.meta.dirname;
const CLI = join(FOLDER, 'node_modules/@medusajs/cli/cli.js');
const LOOPBACK = '127.0.0.1';
const ORDERS = 24;
const BOOT_POLL_MS = 250;

let running = null;
let stopping = false;

function stop(exitCode) {
  if (stopping) return;
  stopping = true;
  process.exitCode = exitCode;
  running?.kill('SIGKILL');
  process.exit(exitCode);
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(0));
process.stdin
  .on('end', () => stop(0))
  .on('error', () => stop(0))
  .resume();

const medusa = (...args) =>
  spawn(process.execPath, [CLI, ...args], {
    cwd: FOLDER,
    env: { ...process.env, MEDUSA_DISABLE_TELEMETRY: 'true', NODE_ENV: 'production', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** What a command of Medusa's own prints. */
async function output(...args) {
  running = medusa(...args);
  let text = '';
  running.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const code = await new Promise((resolve) => running.on('close', resolve));
  if (code !== 0) throw new Error(`medusa ${args.join(' ')} ended with ${code}\n${text.slice(-2000)}`);
  return text;
}

// Below 32768 no client socket of this machine is given the port between the probe and the use.
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = net.createServer();
    const free = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

async function answers(url) {
  const response = await fetch(`${url}/health`).catch(() => null);
  return response?.ok === true;
}

async function start() {
  await output('db:migrate', '--skip-scripts');
  await output('user', '-e', 'admin@example.test', '-p', 'only-for-tests-1');
  const seeded = /^SEEDED (.*)$/m.exec(await output('exec', './src/scripts/seed.js', String(ORDERS)));
  if (!seeded) throw new Error('the store was not seeded');

  const port = await freePort();
  const url = `http://${LOOPBACK}:${port}`;
  running = medusa('start', '--port', String(port), '--host', LOOPBACK);
  running.stdout.resume();
  running.on('close', () => stop(1));
  while (!(await answers(url))) await delay(BOOT_POLL_MS);
  process.stdout.write(`${JSON.stringify({ url, ...JSON.parse(seeded[1]) })}\n`);
}

start().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  stop(1);
});
