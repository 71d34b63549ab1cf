import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, type Config } from '@switchboard/bootstrap/startup-config';
import { ok, type ApiKey, type Result } from '@switchboard/domain';
import type { McpHandlers, CallContext } from './mcp-handlers.js';
import type { Caller } from './call-tool.js';
import type { ListedTool } from './listed-tools.js';
import { isDispatched } from './message-quota.js';
import { filterTools } from './tool-filter.js';
import { ProtocolError } from './protocol-error.js';
import { invalidKeyMessage } from './read-key.js';
import { readBuiltTools } from './read-built-tools.js';

/** How long loading waits for a client to ask for its tools, once they can be listed. */
const LISTING_MS = 100;

/** Takes a message of the protocol from the quotas; answers the refusal of one that is over a quota. */
export type AdmitMessage = (message: object) => Promise<Result<undefined>>;

/** What stands behind the protocol over stdio. */
export interface StdioBackend {
  readonly handlers: McpHandlers;
  /** Counts a message against the quotas of the key. Those that come before the service is open are counted when it is. */
  readonly admit: AdmitMessage;
  /** Rejects with a `ConfigurationError` when the key is none, or the service cannot be opened. */
  readonly opened: Promise<unknown>;
  readonly databaseStopped: Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens in the order in which a client asks: who has the key, which is enough to list tools, then the service, which every
 * call waits for. While something loads nothing is read or answered, so the first step waits for `begin` and the second for
 * whatever comes first: a call, the end of a list, or a little while.
 */
export function openStdioBackend(config: Config, caller: Caller, introduced: Promise<unknown>): StdioBackend {
  let startLoading = () => {};
  const firstCall = new Promise<void>((resolve) => (startLoading = resolve));
  const keyCheck = introduced.then(() => checkKey(config, caller));
  const opened = keyCheck.then(async ({ release }) => {
    await Promise.race([firstCall, sleep(LISTING_MS)]);
    const { openStdioService } = await import('./stdio-service.js');
    return openStdioService(caller).finally(release);
  });
  let isOpen = false;
  const queuedMessages: object[] = [];
  const flushed = opened.then(async ({ admit }) => {
    isOpen = true;
    for (const message of queuedMessages) await admit(message);
  });
  flushed.catch(() => undefined);
  const loadedHandlers = async () => (await opened.catch(rethrowAsProtocolError)).handlers;
  const withHandlers = async <Value>(
    { signal }: CallContext,
    respond: (handlers: McpHandlers) => Promise<Value>,
  ) => {
    startLoading();
    const handlers = await loadedHandlers();
    // What was taken back while it waited is not begun.
    signal.throwIfAborted();
    return respond(handlers);
  };
  return {
    opened,
    databaseStopped: opened.then(
      ({ service }) => service.databaseStopped,
      () => new Promise<void>(() => undefined),
    ),
    async admit(message) {
      if (isOpen) return (await opened).admit(message);
      if (!isDispatched(message)) queuedMessages.push(message);
      return ok();
    },
    handlers: {
      async listTools() {
        const { key, builtTools } = await keyCheck.catch(rethrowAsProtocolError);
        if (isOpen || key === null) return (await loadedHandlers()).listTools();
        setImmediate(startLoading);
        return filterTools(builtTools, key.scopes, caller.toolFilter);
      },
      callTool: (name, toolArguments, callContext) =>
        withHandlers(callContext, (handlers) => handlers.callTool(name, toolArguments, callContext)),
      listResources: (cursor, callContext) =>
        withHandlers(callContext, (handlers) => handlers.listResources(cursor, callContext)),
      readResource: (uri, callContext) =>
        withHandlers(callContext, (handlers) => handlers.readResource(uri, callContext)),
      complete: (completionRequest, callContext) =>
        withHandlers(callContext, (handlers) => handlers.complete(completionRequest, callContext)),
    },
    close: () =>
      opened.then(
        ({ service }) => service.close(),
        () => undefined,
      ),
  };
}

/** Whoever waits for an answer is told what stderr is. */
function rethrowAsProtocolError(error: unknown): never {
  throw error instanceof ConfigurationError ? new ProtocolError('invalid_request', error.message) : error;
}

interface KeyCheck {
  readonly key: ApiKey | null;
  readonly builtTools: readonly ListedTool[];
  readonly release: () => Promise<void>;
}

/** The key as the doorkeeper knows it; null where only the service can tell. */
async function checkKey(config: Config, { authorization = '' }: Caller): Promise<KeyCheck> {
  const { openStartupKeyCheck } = await import('@switchboard/bootstrap/startup-key-check');
  const startupKeyCheck = await openStartupKeyCheck(config);
  const [key, builtTools] = await Promise.all([startupKeyCheck.verify(authorization), readBuiltTools()]);
  if (key === 'nobody') {
    await startupKeyCheck.release();
    throw new ConfigurationError(invalidKeyMessage(config));
  }
  return { key, builtTools, release: () => startupKeyCheck.release() };
}
