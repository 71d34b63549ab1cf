import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, readConfig, type Config } from '@switchboard/bootstrap/startup-config';
import { createToolFilter, type ToolFilterInput } from '../tools/tool-filter.js';
import { protocolServer } from '../protocol/protocol-server.js';
import { readKey } from '../protocol/read-key.js';
import type { Caller } from '../protocol/dispatch-for-caller.js';
import { trackOpenRequests } from './track-open-requests.js';
import { openStdioBackend, type ServiceOptions } from './open-stdio-backend.js';
import { lineTransport } from './line-transport.js';
import { limitTransport } from './limit-transport.js';
import { routeByRevision } from './route-by-revision.js';

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

interface StdioOptions extends ServiceOptions {
  readonly flags: ToolFilterInput;
  readonly input: Readable;
  readonly output: Writable;
}

/** Serves one client over a pair of streams. Throws a `ConfigurationError`. */
export function serveStdio({ flags, input, output, ...service }: StdioOptions) {
  const config = readConfig(service.env);
  const caller = createCaller(config, flags);
  const transport = lineTransport(input, output);
  const requests = trackOpenRequests(transport);
  const introduced = Promise.race([requests.firstResponse, sleep(INTRODUCTION_MS)]);
  const backend = openStdioBackend(config, caller, introduced, service);
  const endOfInput = new AbortController();
  const identity = { version: config.version, toolFilter: caller.toolFilter };
  const server = protocolServer({ ...identity, disconnected: endOfInput.signal }, backend.handlers);

  const disconnected = new Promise<void>((resolve) => {
    input.once('end', () => {
      // The response of a person could no longer be read.
      endOfInput.abort();
      const allResponded = () =>
        Promise.race([requests.allResponded(), sleep(FINAL_RESPONSES_MS, undefined, { ref: false })]);
      void backend.opened.then(allResponded).then(
        () => resolve(),
        () => undefined,
      );
    });
    transport.onclose = resolve;
  });
  const admitted = limitTransport(transport, backend.admit);
  void server.connect(
    routeByRevision(admitted, async (send) => {
      // Loaded when a client needs it: it would slow down the start for all others.
      const { modernServer, openExchange } = await import('../protocol/modern-server.js');
      return openExchange(modernServer(identity, backend.handlers), send);
    }),
  );
  return {
    /** Resolves when the first response was sent: loading, which blocks reading, begins then. */
    introduced,
    /** Rejects with a `ConfigurationError` once the requests that arrived before have been answered with it. */
    opened: backend.opened.catch(async (error: unknown) => {
      if (error instanceof ConfigurationError) await Promise.race([requests.allResponded(), sleep(GRACE_MS)]);
      throw error;
    }),
    databaseStopped: backend.databaseStopped,
    /** Resolves when the client sends nothing more and has its responses. */
    disconnected,
    async close() {
      await server.close();
      await Promise.race([backend.close(), sleep(GRACE_MS, undefined, { ref: false })]);
    },
  };
}

function createCaller(config: Config, flags: ToolFilterInput): Caller {
  const toolFilter = createToolFilter(config, flags);
  if (!toolFilter.ok) throw new ConfigurationError(toolFilter.failure.message);
  const key = readKey(config);
  if (!key.ok) throw new ConfigurationError(key.reason);
  return {
    authorization: key.authorization,
    address: LOOPBACK,
    toolFilter: toolFilter.value,
    countedAllowances: [],
  };
}
