import '@switchboard/bootstrap/quiet';
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ConfigurationError, readConfig, type Config } from '@switchboard/bootstrap/early';
import { readFlags } from './flags.js';
import { giveUp } from './give-up.js';
import { choose } from './narrowing.js';
import { openRequests } from './open-requests.js';
import { protocolServer } from './protocol-server.js';
import { readKey } from './read-key.js';
import type { Caller } from './ask-dispatch.js';
import { openBehind } from './stdio-behind.js';
import { admitting } from './stdio-quota.js';
import { whenStopped } from './when-stopped.js';

const GRACE_MS = 5000;
/** How long what was asked may take once nothing more can be: longer than a call may wait. A client that is gone signals. */
const LAST_ANSWERS_MS = 35_000;
/** A process that its client has started talks to nobody else. */
const LOOPBACK = '127.0.0.1';
/** How long loading waits for a client to introduce itself. */
const INTRODUCTION_MS = 100;

const flags = readFlags();
const config = readEarly();
const narrowing = choose(config, flags);
if (!narrowing.ok) giveUp(narrowing.failure.message);
const key = readKey(config);
if (!key.ok) giveUp(key.why);

const transport = new StdioServerTransport();
const requests = openRequests(transport);
const caller: Caller = {
  authorization: key.authorization,
  address: LOOPBACK,
  narrowing: narrowing.value,
  counted: [],
};
/**
 * Whatever loads keeps the process from reading, so the introduction is answered first. What was compiled until then is kept for
 * the next start (`scripts/one-file.mjs`).
 */
export const begun = Promise.race([requests.first, sleep(INTRODUCTION_MS)]);
const behind = openBehind(config, caller, begun);
const gone = new AbortController();
const server = protocolServer(
  { version: config.version, narrowing: caller.narrowing, gone: gone.signal },
  behind.answers,
);

const stop = whenStopped(behind.databaseStopped, async () => {
  await server.close();
  await Promise.race([behind.close(), sleep(GRACE_MS)]);
  process.exit(0);
});
behind.opened.catch(async (error: unknown) => {
  if (!(error instanceof ConfigurationError)) throw error;
  // Who asked meanwhile is told the same.
  await Promise.race([requests.answered(), sleep(GRACE_MS)]);
  giveUp(error.message);
});
process.stdout.once('error', stop);
process.stdin.once('end', () => {
  // What a person would say could not be read any more.
  gone.abort();
  const answered = () => Promise.race([requests.answered(), sleep(LAST_ANSWERS_MS)]);
  void behind.opened.then(answered).then(stop, () => undefined);
});
// It closes by itself where a line is too long, and then nobody reads on.
transport.onclose = stop;
void server.connect(admitting(transport, behind.admit));

function readEarly(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigurationError) giveUp(error.message);
    throw error;
  }
}
