import path from 'node:path';
import { openDatabase, type Database } from '@switchboard/persistence';
import { migrate, type Migrated } from '@switchboard/persistence/migrate';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { root } from './environment.js';
import { reachDatabase } from './reach-database.js';

export const prismaDir = path.join(root, 'prisma');

export interface OpenedDatabase extends Database {
  readonly url: string;
  /** For LISTEN and session locks. */
  readonly directUrl: string;
  /** Resolves when somebody stopped the embedded server deliberately; never for an existing one. */
  readonly stopped: Promise<void>;
}

/** The database with its migrations applied (or checked). */
export async function openMigratedDatabase(config: Config): Promise<OpenedDatabase> {
  const { release, ...reached } = await reachDatabase(config);
  try {
    report(await migrate(reached.directUrl, prismaDir, config.migrate).catch(cannotReach));
  } catch (error) {
    await release();
    throw error;
  }
  const database = openDatabase(reached.url, { max: 10, timeouts: config.statementTimeouts });
  return {
    ...database,
    ...reached,
    async close() {
      await database.close();
      await release();
    },
  };
}

export function cannotReach(error: unknown): never {
  const { code, message } = error as Error & { code?: string };
  const why = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  throw new ConfigurationError(
    `The database cannot be reached or migrated: ${why || code}. Check DATABASE_URL.`,
  );
}

function report({ state: { pending, changed, failed } }: Migrated): void {
  if (changed.length > 0)
    throw new ConfigurationError(`The migration ${changed[0]} was changed after it was applied.`);
  if (failed.length > 0)
    throw new ConfigurationError(
      `The migration ${failed[0]} began and did not finish; look at it before starting.`,
    );
  if (pending.length > 0) {
    throw new ConfigurationError(
      `${pending.length} migration(s) are missing: run \`switchboard migrate\`, or set SWITCHBOARD_MIGRATE=auto.`,
    );
  }
}
