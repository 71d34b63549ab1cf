import { setTimeout as sleep } from 'node:timers/promises';
import type { startService } from '@switchboard/bootstrap';
import { ConfigurationError, type Config } from '@switchboard/bootstrap/startup-config';
import { ok, type Result } from '@switchboard/domain';
import { readFile } from 'node:fs/promises';
import type { McpHandlers, CallContext } from '../protocol/mcp-handlers.js';
import type { Caller } from '../tools/call-tool.js';
import type { BuiltTools, ListedTool } from '../tools/listed-tools.js';
import { isDispatched } from '../protocol/message-quota.js';
import { filterTools } from '../tools/tool-filter.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { invalidKeyMessage } from '../protocol/read-key.js';

/** How long loading waits for a client to list its tools, once they can be listed. */
const LISTING_MS = 100;

/** Counts a protocol message against the quotas; returns the rejection of one that exceeds a quota. */
export type AdmitMessage = (message: object) => Promise<Result<undefined>>;

/** Of the service: where it logs, as stdout carries the protocol, and its environment. */
export type ServiceOptions = Pick<Parameters<typeof startService>[0], 'logTo' | 'env'>;

/**
 * Opens in the order in which a client sends requests: first the lookup of the key, which is enough to list
 * tools, then the service, which every call needs. Loading blocks reading and responding, so the first step
 * waits for `begin` and the second for the first of: a call, the end of a list, or a short delay.
 */
export function openStdioBackend(
  config: Config,
  caller: Caller,
  introduced: Promise<unknown>,
  options: ServiceOptions,
) {
  let startLoading = () => {};
  const firstCall = new Promise<void>((resolve) => (startLoading = resolve));
  const keyCheck = introduced.then(() => checkKey(config, caller));
  const opened = keyCheck.then(async ({ release }) => {
    await Promise.race([firstCall, sleep(LISTING_MS)]);
    const { openStdioService } = await import('./stdio-service.js');
    try {
      return await openStdioService(caller, options);
    } finally {
      await release();
    }
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
    // A call that was canceled while it waited is not started.
    signal.throwIfAborted();
    return respond(handlers);
  };
  return {
    /** Rejects with a `ConfigurationError` when the key is invalid, or the service cannot be opened. */
    opened,
    databaseStopped: opened.then(
      ({ service }) => service.databaseStopped,
      () => new Promise<void>(() => undefined),
    ),
    /**
     * Counts a message against the quotas of the key. Messages that arrive before the service is open are
     * counted once it is.
     */
    admit: async (message: object): ReturnType<AdmitMessage> => {
      if (isOpen) return (await opened).admit(message);
      if (!isDispatched(message)) queuedMessages.push(message);
      return ok();
    },
    handlers: {
      async listTools() {
        const { key, builtTools } = await keyCheck.catch(rethrowAsProtocolError);
        if (isOpen || key === null || builtTools === null) return (await loadedHandlers()).listTools();
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
    } satisfies McpHandlers,
    close: () =>
      opened.then(
        ({ service }) => service.close(),
        () => undefined,
      ),
  };
}

/** A caller that waits for a response receives the message that goes to stderr. */
function rethrowAsProtocolError(error: unknown): never {
  throw error instanceof ConfigurationError ? new ProtocolError('invalid_request', error.message) : error;
}

/** The key as the startup key check reads it; null when only the service can check it. */
async function checkKey(config: Config, { authorization = '' }: Caller) {
  const { openStartupKeyCheck } = await import('@switchboard/bootstrap/startup-key-check');
  const startupKeyCheck = await openStartupKeyCheck(config);
  const [key, builtTools] = await Promise.all([
    startupKeyCheck.verify(authorization),
    readBuiltTools(config),
  ]);
  if (key === 'invalid') {
    await startupKeyCheck.release();
    throw new ConfigurationError(invalidKeyMessage(config));
  }
  return { key, builtTools, release: () => startupKeyCheck.release() };
}

/** The file to which the build writes the tools. */
const builtToolsFile = new URL('../../dist/tools.json', import.meta.url);

/** Null where the operator added platforms, which the tools name: then they are derived. */
async function readBuiltTools({ sandbox, externalPlatforms }: Config): Promise<readonly ListedTool[] | null> {
  if (externalPlatforms.length > 0) return null;
  const { withSandbox, withoutSandbox } = JSON.parse(await readFile(builtToolsFile, 'utf8')) as BuiltTools;
  return sandbox ? withSandbox : withoutSandbox;
}
