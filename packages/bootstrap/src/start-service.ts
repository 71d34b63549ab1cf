import { prepareDataDirectory } from '@switchboard/persistence/embedded';
import { assemble, type ProcessRole } from './assemble.js';
import { ConfigurationError } from './configuration-error.js';
import type { Config } from './config.js';
import { configFor, describeUnknownVariables } from './config-for.js';
import { initializeInstallation } from './initialize-installation.js';
import { createLog, type LogDestination } from './log.js';
import type { Service } from './service.js';

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
  const log = createLog(config.logLevel, logTo, app);
  for (const warning of describeUnknownVariables(env)) log.warn(warning);
  const service = await assemble(config, log, roleOf(app, config));
  try {
    await initializeInstallation(config, service.ports);
  } catch (error) {
    await service.close();
    throw error;
  }
  return service;
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
