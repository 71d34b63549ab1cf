import { getServerStatus, stopServer, type ServerStatus } from '@switchboard/persistence/embedded';
import type { Config } from './config.js';

export type { ServerStatus };

/** The status of the embedded PostgreSQL of the data directory. Starts nothing. */
export const embeddedStatus = ({ dataDir }: Pick<Config, 'dataDir'>): Promise<ServerStatus> =>
  getServerStatus(dataDir);

/**
 * Stops the server deliberately, so that the processes that use it exit too; returns whether it was running.
 */
export const stopEmbedded = ({ dataDir }: Pick<Config, 'dataDir'>): Promise<boolean> => stopServer(dataDir);
