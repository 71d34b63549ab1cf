import { getServerStatus, stopServer, type ServerStatus } from '@switchboard/persistence/embedded';
import type { Config } from './config.js';

export type { ServerStatus };

/** Whether the embedded PostgreSQL of the data directory runs. Starts nothing. */
export const embeddedStatus = ({ dataDir }: Pick<Config, 'dataDir'>): Promise<ServerStatus> =>
  getServerStatus(dataDir);

/** Stops it deliberately, so that whoever uses it ends too; answers whether it ran. */
export const stopEmbedded = ({ dataDir }: Pick<Config, 'dataDir'>): Promise<boolean> => stopServer(dataDir);
