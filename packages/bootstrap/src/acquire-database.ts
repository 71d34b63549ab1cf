import { leaseServer } from '@switchboard/persistence/embedded';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';

/**
 * The database: the configured one, or else the embedded one of the data directory, which runs until
 * `release`.
 */
export async function acquireDatabase(config: Config) {
  const lease =
    config.databaseUrl === null
      ? await leaseServer({ stateDir: config.dataDir }).catch(throwStartFailure)
      : null;
  const url = config.databaseUrl ?? lease?.url ?? '';
  const directUrl = config.directDatabaseUrl ?? url;
  return {
    url,
    directUrl,
    /** Whether `url` leads through a transaction pooler. */
    isPooled: url !== directUrl,
    stopped: lease?.stopped ?? new Promise<void>(() => undefined),
    release: async () => lease?.release(),
  };
}

function throwStartFailure(error: unknown): never {
  throw new ConfigurationError(`The embedded PostgreSQL failed to start: ${(error as Error).message}`);
}
