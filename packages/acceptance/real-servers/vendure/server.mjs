// Starts an in-memory Vendure server with seeded orders on 127.0.0.1 and a free port. Prints one line of JSON
// on stdout when it accepts requests: {url, key, readingKey, orders}. Exits on SIGTERM, on SIGINT and when
// stdin closes, so that a killed test run leaves no process behind.
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import net from 'node:net';
import { seed } from './seed.mjs';

const ORDERS = 24;
const LOOPBACK = '127.0.0.1';

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
process.stdin
  .on('end', () => process.exit(0))
  .on('error', () => process.exit(0))
  .resume();
process.env.VENDURE_DISABLE_TELEMETRY = 'true';

// stdout is reserved for the one line of JSON; the server's log goes to stderr.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

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

const require = createRequire(import.meta.url);
const { bootstrap } = require('@vendure/core');
const { configOf } = require('./store.cjs');
const port = await freePort();
const url = `http://${LOOPBACK}:${port}`;
await bootstrap(configOf(port));
write(`${JSON.stringify({ url, ...(await seed(url, ORDERS)) })}\n`);
