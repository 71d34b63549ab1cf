// Starts a Medusa store with seeded orders on 127.0.0.1 and a free port, in the empty database given by
// DATABASE_URL. Prints one line of JSON on stdout when it accepts requests: {url, key, orders}. Exits on
// SIGTERM, on SIGINT and when stdin closes, so that a killed test run leaves no process behind.
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

/** Returns the output of a Medusa CLI command. */
async function output(...args) {
  running = medusa(...args);
  let text = '';
  running.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const code = await new Promise((resolve) => running.on('close', resolve));
  if (code !== 0) throw new Error(`medusa ${args.join(' ')} ended with ${code}\n${text.slice(-2000)}`);
  return text;
}

// The operating system assigns ports above 32768 to outgoing connections, so a lower port stays free between
// the probe and the use.
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
