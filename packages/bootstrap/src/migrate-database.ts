import { migrate, type Migrated, type MigrateMode } from '@switchboard/persistence/migrate';
import type { Config } from './config.js';
import { cannotReach, prismaDir } from './database.js';
import { reachDatabase } from './reach-database.js';

/** Applies the missing migrations, or only looks (`check`). Whatever SWITCHBOARD_MIGRATE says: somebody asked for it. */
export async function migrateDatabase(config: Config, mode: MigrateMode): Promise<Migrated> {
  const { directUrl, release } = await reachDatabase(config);
  try {
    return await migrate(directUrl, prismaDir, mode).catch(cannotReach);
  } finally {
    await release();
  }
}
