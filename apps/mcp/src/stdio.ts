import '@switchboard/bootstrap/disable-debug-output';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, readConfig, type Config } from '@switchboard/bootstrap/startup-config';
import { readFlags } from './flags.js';
import { exitWithError } from './exit-with-error.js';
import { createToolFilter } from './tools/tool-filter.js';
import { trackOpenRequests } from './stdio/track-open-requests.js';
import { protocolServer } from './protocol/protocol-server.js';
import { readKey } from './protocol/read-key.js';
import type { Caller } from './protocol/dispatch-for-caller.js';
import { openStdioBackend } from './stdio/open-stdio-backend.js';
import { lineTransport } from './stdio/line-transport.js';
import { limitTransport } from './stdio/limit-transport.js';
import { routeByRevision } from './stdio/route-by-revision.js';
import { onShutdown } from './on-shutdown.js';

const GRACE_MS = 5000;
/**
 * The time for open requests once no more can arrive: longer than a call may wait. A client that has exited
 * sends a signal.
 */
const FINAL_RESPONSES_MS = 35_000;
/** A process that its client has started serves only that client. */
const LOOPBACK = '127.0.0.1';
/** How long loading waits for a client to initialize. */
const INTRODUCTION_MS = 100;

const flags = readFlags();
const config = readConfigOrExit();
const toolFilter = createToolFilter(config, flags);
if (!toolFilter.ok) exitWithError(toolFilter.failure.message);
const key = readKey(config);
if (!key.ok) exitWithError(key.reason);

const transport = lineTransport(process.stdin, process.stdout);
const requests = trackOpenRequests(transport);
const caller: Caller = {
  authorization: key.authorization,
  address: LOOPBACK,
  toolFilter: toolFilter.value,
  countedAllowances: [],
};
/**
 * Loading blocks reading, so `initialize` is answered first. The code compiled until then is cached for the
 * next start (`scripts/one-file.mjs`).
 */
export const introduced = Promise.race([requests.firstResponse, sleep(INTRODUCTION_MS)]);
const backend = openStdioBackend(config, caller, introduced);
const disconnected = new AbortController();
const identity = { version: config.version, toolFilter: caller.toolFilter };
const server = protocolServer({ ...identity, disconnected: disconnected.signal }, backend.handlers);

const stop = onShutdown(backend.databaseStopped, async () => {
  await server.close();
  await Promise.race([backend.close(), sleep(GRACE_MS)]);
  process.exit(0);
});
backend.opened.catch(async (error: unknown) => {
  if (!(error instanceof ConfigurationError)) throw error;
  // Requests sent meanwhile get the same message.
  await Promise.race([requests.allResponded(), sleep(GRACE_MS)]);
  exitWithError(error.message);
});
process.stdout.once('error', stop);
process.stdin.once('end', () => {
  // The response of a person could no longer be read.
  disconnected.abort();
  const allResponded = () => Promise.race([requests.allResponded(), sleep(FINAL_RESPONSES_MS)]);
  void backend.opened.then(allResponded).then(stop, () => undefined);
});
transport.onclose = stop;
const admitted = limitTransport(transport, backend.admit);
void server.connect(
  routeByRevision(admitted, async (send) => {
    // Loaded when a client needs it: it would slow down the start for all others.
    const { modernServer, openExchange } = await import('./protocol/modern-server.js');
    return openExchange(modernServer(identity, backend.handlers), send);
  }),
);

function readConfigOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigurationError) exitWithError(error.message);
    throw error;
  }
}
