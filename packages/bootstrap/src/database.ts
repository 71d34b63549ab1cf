import path from 'node:path';
import { openDatabase, type Database, type StatementObserver } from '@switchboard/persistence';
import {
  getMigrationState,
  migrate,
  readMigrations,
  type MigrationState,
} from '@switchboard/persistence/migrate';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { root } from './environment.js';
import { acquireDatabase } from './acquire-database.js';

export const prismaDir = path.join(root, 'prisma');

export interface OpenedDatabase extends Database {
  readonly url: string;
  /** For LISTEN and session locks. */
  readonly directUrl: string;
  /** Resolves when the embedded server is stopped deliberately; never for an external one. */
  readonly stopped: Promise<void>;
}

/** The database with its migrations applied (or checked). */
export async function openMigratedDatabase(
  config: Config,
  onStatement?: StatementObserver,
): Promise<OpenedDatabase> {
  const { release, ...connection } = await acquireDatabase(config);
  const { isPooled } = connection;
  const database = openDatabase(connection.url, {
    max: 10,
    timeouts: config.statementTimeouts,
    onStatement,
    isPooled,
  });
  const close = async () => {
    await database.close();
    await release();
  };
  try {
    // Migrating takes a connection of its own, which most starts do without.
    const query = async <Row extends object>(text: string) => ({
      rows: [...(await database.query<Row>(text, []))],
    });
    const found = await getMigrationState({ query }, await readMigrations(prismaDir)).catch(throwUnreachable);
    if (!isComplete(found))
      requireMigrated(
        (await migrate(connection.directUrl, prismaDir, config.migrate).catch(throwUnreachable)).state,
      );
  } catch (error) {
    await close();
    throw error;
  }
  return { ...database, ...connection, close };
}

export function throwUnreachable(error: unknown): never {
  const { code, message } = error as Error & { code?: string };
  const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  throw new ConfigurationError(
    `The database cannot be reached or migrated: ${reason || code}. Check DATABASE_URL.`,
  );
}

const isComplete = ({ pending, changed, failed }: MigrationState) =>
  [pending, changed, failed].every((names) => names.length === 0);

function requireMigrated({ pending, changed, failed }: MigrationState): void {
  if (changed.length > 0)
    throw new ConfigurationError(`The migration ${changed[0]} was modified after it was applied.`);
  if (failed.length > 0)
    throw new ConfigurationError(
      `The migration ${failed[0]} started but did not complete; resolve it before starting.`,
    );
  if (pending.length > 0) {
    throw new ConfigurationError(
      `${pending.length} migration(s) pending: run \`switchboard migrate\`, or set SWITCHBOARD_MIGRATE=auto.`,
    );
  }
}
