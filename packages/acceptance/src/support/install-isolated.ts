import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const LOCK_DEADLINE_MS = 5 * 60_000;
const LOCK_POLL_MS = 100;
const INSTALL_DEADLINE_MS = 5 * 60_000;
const SQLITE_BUSY = 5;
const SHOWN_OUTPUT_CHARS = 2_000;

/**
 * Installs a folder (`conformance`, those of `real-servers`) from its own lockfile, unless its `node_modules`
 * already matches that lockfile. These folders are outside the workspace, so that starting the product never
 * installs them. Concurrent test runs wait for each other. A folder without a `package.json` needs nothing from npm.
 */
export async function installIsolated(folder: string): Promise<void> {
  if (!existsSync(join(folder, 'package.json'))) return;
  const fingerprint = await computeFingerprint(folder);
  if (await isInstalled(folder, fingerprint)) return;
  const unlock = await lock(join(folder, '.install.lock'));
  try {
    if (await isInstalled(folder, fingerprint)) return;
    await runPnpmInstall(folder);
    await writeFile(getMarkerPath(folder), fingerprint);
  } finally {
    unlock();
  }
}

const getMarkerPath = (folder: string) => join(folder, 'node_modules', '.installed-from');

async function isInstalled(folder: string, fingerprint: string): Promise<boolean> {
  return (await readFile(getMarkerPath(folder), 'utf8').catch(() => '')) === fingerprint;
}

/** By content, because a checkout sets every file's modification time. */
async function computeFingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml']) {
    hash.update(await readFile(join(folder, file)));
  }
  return hash.digest('hex');
}

/** The operating system releases a SQLite lock when its holder is killed; a lock file would remain. */
async function lock(file: string): Promise<() => void> {
  const database = new DatabaseSync(file);
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (error) {
      // Not `instanceof Error`: under Jest a SQLite error comes from another realm.
      const isHeldByAnother = (error as { errcode?: number }).errcode === SQLITE_BUSY;
      if (isHeldByAnother && waitedMs < LOCK_DEADLINE_MS) {
        await delay(LOCK_POLL_MS);
        continue;
      }
      database.close();
      throw error;
    }
  }
}

async function runPnpmInstall(folder: string): Promise<void> {
  const bin = join(REPOSITORY, 'node_modules', '.bin');
  const { failure, output } = await new Promise<{ failure: Error | null; output: string }>((resolve) => {
    const child = execFile(
      join(bin, process.platform === 'win32' ? 'pnpm.cmd' : 'pnpm'),
      ['install', '--frozen-lockfile', '--ignore-scripts', '--reporter=append-only'],
      {
        cwd: folder,
        env: { ...process.env, CI: 'true', PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
        timeout: INSTALL_DEADLINE_MS,
        shell: process.platform === 'win32',
      },
      (error, stdout, stderr) => resolve({ failure: error, output: `${stdout}${stderr}` }),
    );
    child.stdin?.end();
  });
  if (failure === null) return;
  throw new Error(
    `The dependencies of ${relative(REPOSITORY, folder)} could not be installed from the npm registry, ` +
      `which must be reachable once. Run \`pnpm install --frozen-lockfile --ignore-scripts\` in that folder.\n` +
      output.slice(-SHOWN_OUTPUT_CHARS),
    { cause: failure },
  );
}
