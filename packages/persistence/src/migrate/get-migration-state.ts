import { withClient, type Queryable } from './database.js';
import { readMigrations, type Migration } from './read-migrations.js';

interface MigrationRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

export async function getMigrationState(database: Queryable, migrations: readonly Migration[]) {
  const rows = await readRecordedMigrations(database);
  const finished = new Map(
    rows.filter((row) => row.finished).map((row) => [row.migration_name, row.checksum]),
  );
  const known = new Set(migrations.map(({ name }) => name));
  const names = (some: readonly Migration[]) => some.map(({ name }) => name);
  return {
    pending: names(migrations.filter(({ name }) => !finished.has(name))),
    /** Applied, with different content than the file has now. */
    changed: names(
      migrations.filter(({ name, checksum }) => finished.has(name) && finished.get(name) !== checksum),
    ),
    /** Started and not finished; no further migration runs until an operator resolves it. */
    failed: rows.filter((row) => !row.finished).map((row) => row.migration_name),
    /** Applied by a newer version of the program. */
    unknown: [...finished.keys()].filter((name) => !known.has(name)),
  };
}

/** How a database compares to the migrations of this version, by migration name. */
export type MigrationState = Awaited<ReturnType<typeof getMigrationState>>;

async function readRecordedMigrations(database: Queryable): Promise<MigrationRow[]> {
  const table = await database.query<{ there: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS there`,
  );
  if (!table.rows[0]?.there) return [];
  const { rows } = await database.query<MigrationRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
       FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows;
}

export async function listPendingMigrations(url: string, prismaDir: string): Promise<readonly string[]> {
  const migrations = await readMigrations(prismaDir);
  return withClient(url, async (client) => (await getMigrationState(client, migrations)).pending);
}

/**
 * Whether this version can use the database: all of its migrations are applied. Migrations of a newer version
 * are allowed, so that a rolling update can proceed while the old version still serves.
 */
export async function isSchemaCurrent(
  database: Queryable,
  migrations: readonly Migration[],
): Promise<boolean> {
  const { pending, failed } = await getMigrationState(database, migrations);
  return pending.length === 0 && failed.length === 0;
}
