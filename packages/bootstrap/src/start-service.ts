import { randomUUID } from 'node:crypto';
import { prepareDataDirectory } from '@switchboard/persistence/embedded';
import { assemble, type ProcessRole } from './assemble.js';
import { ConfigurationError } from './configuration-error.js';
import type { Config } from './config.js';
import { configFor, describeUnknownVariables } from './config-for.js';
import { initializeInstallation } from './initialize-installation.js';
import { createLog, type LogDestination } from './log.js';
import { serveHealth } from './serve-health.js';
import type { Service } from './service.js';
import type { Tracing } from './tracing.js';

export type App = 'rest' | 'mcp-stdio' | 'mcp-http' | 'worker' | 'cli';

interface StartOptions {
  readonly app: App;
  /** stdout carries the protocol of MCP over stdio, and the result of the command line. */
  readonly logTo: LogDestination;
  /** Instead of the environment of the process. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Reads the configuration, opens everything and starts background work. Throws a `ConfigurationError` whose
 * message is the line to print.
 */
export async function startService({ app, logTo, env }: StartOptions): Promise<Service> {
  const config = configFor(app, env);
  await prepareDataDirectory(config.dataDir).catch((error: Error) => {
    throw new ConfigurationError(`SWITCHBOARD_DATA_DIR cannot be created or made private: ${error.message}`);
  });
  const instanceId = randomUUID();
  const tracing = await startTracing(config, app, instanceId);
  const log = createLog(config.logLevel, logTo, app, tracing);
  for (const warning of describeUnknownVariables(env)) log.warn(warning);
  const service = await assemble(config, log, roleOf(app, config), { instanceId, tracing }).catch(
    async (error: unknown) => {
      await tracing?.close();
      throw error;
    },
  );
  try {
    await initializeInstallation(config, service.ports);
    const { host, healthPort } = config;
    if (healthPort === null || !SERVERS.includes(app)) return service;
    const health = await serveHealth(service, { host, healthPort });
    return { ...service, close: () => health.close().then(() => service.close()) };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** The programs that run until they are stopped, and that a supervisor checks. */
const SERVERS: readonly App[] = ['rest', 'mcp-http', 'worker'];

/** The libraries are loaded only when they are needed. */
async function startTracing(
  { tracing, version }: Config,
  app: App,
  instanceId: string,
): Promise<Tracing | null> {
  if (tracing === null) return null;
  const { openTracing } = await import('@switchboard/bootstrap/open-tracing');
  return openTracing(tracing, { app, version, instanceId });
}

/** With the embedded database MCP over stdio runs a worker too: it may be the only process. */
const roleOf = (app: App, { roles, databaseUrl }: Config): ProcessRole => ({
  app,
  worker:
    app === 'worker' ||
    (app === 'rest' && roles.includes('worker')) ||
    (app === 'mcp-stdio' && databaseUrl === null),
  sandbox: app === 'rest',
  pages: app === 'rest',
});
