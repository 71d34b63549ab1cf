import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getControlFiles, readJson, readText, type ClusterSecret } from './control-files.js';
import { allowPostgresTraversal, closeToPostgres, NOBODY_UID } from './data-directory.js';
import { installBinaries, installSharedBinaries, prepareSharedDirectory } from './install-binaries.js';

/**
 * For clusters whose data directory the user `nobody` cannot reach: those of earlier versions, and new ones
 * where PostgreSQL cannot start inside its cluster.
 */
const SYSTEM_DIR = '/var/lib/switchboard';
/** PostgreSQL resolves the path of its own executable, which `nobody` therefore needs access to. */
const PROGRAMS_DIR = '/var/cache/switchboard';

/** Linux follows this link without search permission on the directories above its target. */
export const OWN_CWD = '/proc/self/cwd';

export interface ClusterLayout {
  /** The directory that contains the data. */
  readonly base: string;
  readonly data: string;
  readonly binaries: string;
  /** Merged into spawn options: drops root privileges. */
  readonly identity: { readonly uid?: number; readonly gid?: number };
  /**
   * Whether programs start with the data as their working directory and address it by that. They then need no
   * permission on the directories above, which stay closed to them.
   */
  readonly entersByCwd: boolean;
}

/**
 * Selects the locations and prepares the directories and programs. Everything is in the data directory,
 * unless this process runs as root and PostgreSQL as `nobody`: its programs are then in a system directory,
 * and the data directory stays closed. Where that is impossible, `nobody` gets permission to traverse the
 * data directory, or the cluster is in a system directory when `nobody` cannot reach the data directory.
 */
export async function prepareLayout(
  stateDir: string,
  clusterId: string,
  logLine: (text: string) => void,
): Promise<ClusterLayout> {
  if (!isRoot()) {
    return {
      base: stateDir,
      data: path.join(stateDir, 'pgdata'),
      binaries: await installBinaries(stateDir),
      identity: {},
      entersByCwd: false,
    };
  }
  const identity = { uid: NOBODY_UID, gid: NOBODY_UID };
  let binaries = await prepareClosedStart(identity).catch((error: Error) => {
    logLine(`PostgreSQL needs permission to traverse its parent directories: ${error.message}`);
    return null;
  });
  const entersByCwd = binaries !== null;
  const reachesStateDir = entersByCwd || (await isTraversableByOthers(path.dirname(stateDir)));
  const base =
    (await findBaseDirectory(stateDir, clusterId)) ??
    (reachesStateDir ? stateDir : path.join(SYSTEM_DIR, clusterId));
  if (base === stateDir) {
    if (!reachesStateDir) throw new Error(`PostgreSQL runs as "nobody", which cannot reach ${stateDir}`);
    binaries ??= await installBinaries(base);
  } else {
    await prepareSharedDirectory(SYSTEM_DIR);
    await mkdir(base, { recursive: true, mode: 0o700 });
    await claimBaseDirectory(base, stateDir, clusterId);
    binaries ??= await installSharedBinaries(SYSTEM_DIR, identity);
  }
  if (entersByCwd) await closeToPostgres(base);
  else await allowPostgresTraversal(base);
  return { base, data: path.join(base, 'pgdata'), binaries, identity, entersByCwd };
}

/** The location of a cluster's data, whether or not it exists yet. */
export async function dataDirectory(stateDir: string, clusterId: string): Promise<string> {
  return path.join((await findBaseDirectory(stateDir, clusterId)) ?? stateDir, 'pgdata');
}

async function findBaseDirectory(stateDir: string, clusterId: string): Promise<string | null> {
  const systemBase = path.join(SYSTEM_DIR, clusterId);
  const [inStateDir, inSystemDir] = [stateDir, systemBase].map((base) =>
    existsSync(path.join(base, 'pgdata')),
  );
  if (!isRoot() || !inSystemDir) return inStateDir ? stateDir : null;
  // Earlier versions created a second cluster when the permissions of a parent directory changed.
  const selectsStateDir = inStateDir && (await isTraversableByOthers(path.dirname(stateDir)));
  return selectsStateDir ? stateDir : systemBase;
}

/** Throws where PostgreSQL cannot start inside a cluster that is closed to it. Returns its programs. */
async function prepareClosedStart(identity: { uid: number; gid: number }): Promise<string> {
  if (!existsSync(OWN_CWD)) throw new Error(`${OWN_CWD} does not exist`);
  return installSharedBinaries(PROGRAMS_DIR, identity);
}

const isRoot = () => process.getuid?.() === 0;

async function isTraversableByOthers(directory: string): Promise<boolean> {
  for (let at = directory; ; at = path.dirname(at)) {
    const { mode } = await stat(at);
    if ((mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

/**
 * A data directory that was moved takes its cluster along; a copy of one must not share it with the original.
 */
async function claimBaseDirectory(base: string, stateDir: string, clusterId: string): Promise<void> {
  const file = path.join(base, 'belongs-to');
  const owner = await readText(file);
  if (owner !== null && owner !== stateDir) {
    const secret = await readJson<ClusterSecret>(getControlFiles(owner).secret).catch(() => null);
    if (secret?.clusterId === clusterId) {
      throw new Error(
        `${stateDir} is a copy of ${owner} and would share its database. Use the original, or delete the copy.`,
      );
    }
  }
  if (owner !== stateDir) await writeFile(file, stateDir, { mode: 0o600 });
}

/** Deletes the clusters whose data directory is gone. Only for data directories with disposable content. */
export async function removeAbandonedClusters(stateDir: string): Promise<void> {
  const names = await readdir(SYSTEM_DIR).catch(() => []);
  for (const name of names) {
    const base = path.join(SYSTEM_DIR, name);
    if ((await readText(path.join(base, 'belongs-to')).catch(() => null)) !== stateDir) continue;
    await rm(base, { recursive: true, force: true });
  }
}

/** Changes the owner of a file to the identity that PostgreSQL runs as. */
export async function assignOwner(file: string, identity: ClusterLayout['identity']): Promise<void> {
  if (identity.uid !== undefined && identity.gid !== undefined) await chown(file, identity.uid, identity.gid);
}
