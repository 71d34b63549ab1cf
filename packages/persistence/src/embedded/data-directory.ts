import { chmod, chown, mkdir, stat } from 'node:fs/promises';

/** PostgreSQL refuses to run as root; this is the user `nobody` on every Linux distribution. */
export const NOBODY_UID = 65534;

const OWNER_ONLY = 0o700;
/** The group may traverse the directory but not list it. */
const TRAVERSABLE_BY_GROUP = 0o710;

/**
 * Creates the data directory with access for its owner only, or restricts an existing one that this user
 * owns. The permission that the supervisor grants to the group `nobody` stays: a running server may need it
 * until the supervisor starts the next one.
 */
export async function prepareDataDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY });
  const { mode, uid, gid } = await stat(directory);
  if (process.getuid === undefined || uid !== process.getuid()) return;
  const allowed = uid === 0 && gid === NOBODY_UID ? TRAVERSABLE_BY_GROUP : OWNER_ONLY;
  if ((mode & 0o777 & ~allowed) !== 0) await chmod(directory, mode & allowed);
}

/** For root, whose PostgreSQL runs as `nobody` and starts inside its cluster. */
export async function closeToPostgres(directory: string): Promise<void> {
  const { mode, uid, gid } = await stat(directory);
  if (gid === NOBODY_UID) await chown(directory, uid, 0);
  await chmod(directory, mode & OWNER_ONLY);
}

/** For root, whose PostgreSQL runs as `nobody` and cannot start inside its cluster. */
export async function allowPostgresTraversal(directory: string): Promise<void> {
  const { uid } = await stat(directory);
  await chown(directory, uid, NOBODY_UID);
  await chmod(directory, TRAVERSABLE_BY_GROUP);
}
