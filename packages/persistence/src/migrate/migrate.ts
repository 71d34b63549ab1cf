import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { withClient } from './database.js';
import { getMigrationState, type MigrationState } from './get-migration-state.js';
import { readMigrations, type Migration } from './read-migrations.js';

/** An arbitrary advisory lock ID; held while migrating. */
export const ADVISORY_LOCK = 727_001;

/** `auto` applies missing migrations; `check` only reports them, after another process that is applying some. */
export type MigrateMode = 'auto' | 'check';

export interface MigrationResult {
  readonly applied: readonly string[];
  readonly state: MigrationState;
}

/**
 * Applies the missing migrations of `prismaDir` to the database at `url`, with Prisma's own engine. Any
 * number of processes may call it concurrently: they wait for the one that migrates. It is cheap when none is
 * missing. A database with a failed or changed migration is left unchanged and the state reports it. Throws
 * PostgreSQL's message when a migration fails.
 *
 * The lock is session-level: `url` must lead to PostgreSQL itself, not through a transaction pooler.
 */
export async function migrate(
  url: string,
  prismaDir: string,
  mode: MigrateMode = 'auto',
): Promise<MigrationResult> {
  const migrations = await readMigrations(prismaDir);
  return withClient(url, async (client) => {
    const before = await getMigrationState(client, migrations);
    // One that another process is applying at this moment looks like a failed one.
    if (before.failed.length === 0 && (mode === 'check' || !isApplicable(before)))
      return { applied: [], state: before };
    await client.query('SELECT pg_advisory_lock($1)::text', [ADVISORY_LOCK]);
    const state = await getMigrationState(client, migrations);
    if (mode === 'check' || !isApplicable(state)) return { applied: [], state };
    const applied = await apply(url, prismaDir, migrations);
    return { applied, state: await getMigrationState(client, migrations) };
  });
}

const isApplicable = ({ pending, changed, failed }: MigrationState) =>
  pending.length > 0 && changed.length === 0 && failed.length === 0;

async function apply(url: string, prismaDir: string, migrations: Migration[]): Promise<string[]> {
  const schema = await readFile(path.join(prismaDir, 'schema.prisma'), 'utf8');
  // Loaded here: only a process that migrates needs the engine.
  const { withEngine } = await import('../engine.js');
  return withEngine(url, schema, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: 'prisma/migrations',
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, script }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  });
}
