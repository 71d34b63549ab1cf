import type { Pause } from '@switchboard/domain/pauses';
import { openDatabase, prismaPauses } from '@switchboard/persistence';
import { acquireDatabase } from './acquire-database.js';
import type { Config } from './config.js';

/**
 * What pauses the installation, without starting anything but the database connection. Null where nothing does, and
 * where the database cannot be read.
 */
export async function findInstallationPause(config: Config): Promise<Pause | null> {
  try {
    const { url, isPooled, release } = await acquireDatabase(config);
    const database = openDatabase(url, { max: 1, isPooled });
    try {
      return (await prismaPauses(database.prisma).findInstallation()).pause;
    } finally {
      await database.close();
      await release();
    }
  } catch {
    return null;
  }
}
