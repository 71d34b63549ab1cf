import { migrate, type MigrationResult, type MigrateMode } from '@switchboard/persistence/migrate';
import type { Config } from './config.js';
import { throwUnreachable, prismaDir } from './database.js';
import { acquireDatabase } from './acquire-database.js';

/**
 * Applies the pending migrations, or only checks them (`check`). Ignores SWITCHBOARD_MIGRATE, because the
 * operator requested it.
 */
export async function migrateDatabase(config: Config, mode: MigrateMode): Promise<MigrationResult> {
  const { directUrl, release } = await acquireDatabase(config);
  try {
    return await migrate(directUrl, prismaDir, mode).catch(throwUnreachable);
  } finally {
    await release();
  }
}
