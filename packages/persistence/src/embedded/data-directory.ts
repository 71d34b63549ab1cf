import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** PostgreSQL refuses to run as root; this is `nobody` on every Linux distribution. */
export const NOBODY_UID = 65534;

const OWNER_ONLY = 0o700;
/** The group may pass through the directory and not list it. */
const PASSABLE_BY_GROUP = 0o710;

/**
 * Creates the data directory, or closes an existing one that belongs to us, to everybody but its owner. Only where we are root
 * and the embedded PostgreSQL has its files in the directory, the group `nobody`, as which PostgreSQL runs, may pass through it.
 */
export async function prepareDataDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY });
  const { mode, uid } = await stat(directory);
  if (process.getuid === undefined || uid !== process.getuid()) return;
  const clusterStat = await stat(path.join(directory, 'pgdata')).catch(() => null);
  if (uid === 0 && clusterStat) return allowPostgresTraversal(directory);
  if ((mode & 0o777 & ~OWNER_ONLY) !== 0) await chmod(directory, mode & OWNER_ONLY);
}

/** For root, whose PostgreSQL runs as `nobody`. */
export async function allowPostgresTraversal(directory: string): Promise<void> {
  const { uid } = await stat(directory);
  await chown(directory, uid, NOBODY_UID);
  await chmod(directory, PASSABLE_BY_GROUP);
}
