import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** PostgreSQL refuses to run as root; this is the user `nobody` on every Linux distribution. */
export const NOBODY_UID = 65534;

const OWNER_ONLY = 0o700;
/** The group may traverse the directory but not list it. */
const PASSABLE_BY_GROUP = 0o710;

/**
 * Creates the data directory with access for its owner only, or restricts an existing one that this user
 * owns. Only when running as root with the embedded PostgreSQL's files in the directory, the group `nobody`,
 * which PostgreSQL runs as, may traverse it.
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
