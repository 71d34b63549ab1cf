import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ok, refuse, Secret, type Result } from '@switchboard/domain';
import { generateMasterKey } from './generate-master-key.js';
import { createMasterKeyRing, type MasterKeyRing } from './local-master-keys.js';
import type { MasterKeyProvider } from './master-keys.js';
import { parseMasterKeys } from './parse-master-keys.js';

const FILE_BYTES_MAX = 4096;

interface FileMasterKeysOptions {
  /** Creates the file with a first key if it does not exist. */
  readonly createIfMissing: boolean;
}

/**
 * Reads keys from a file that only its owner can read, newest first. Processes that start concurrently
 * without a file create one key. A file that other users could have read or replaced is rejected, not
 * repaired.
 *
 * A modified file is read again: an added key is available without a restart. A removed key stays available
 * until the restart, and an invalid or partially written file changes nothing.
 */
export async function fileMasterKeys(
  path: string,
  { createIfMissing }: FileMasterKeysOptions,
): Promise<Result<MasterKeyProvider, 'vault.unavailable'>> {
  const keyRing = await createMasterKeyRing();
  const loadResult = await loadKeys(path, createIfMissing, keyRing);
  if (!loadResult.ok) return loadResult;
  let loadedVersion = loadResult.value;
  return ok({
    ...keyRing.provider,
    async list() {
      const currentVersion = await readFileVersion(path);
      if (currentVersion !== null && currentVersion !== loadedVersion) {
        const reloadResult = await loadKeys(path, false, keyRing);
        if (reloadResult.ok) loadedVersion = reloadResult.value;
      }
      return keyRing.provider.list();
    },
  });
}

/** Returns the version of the file that was read. */
async function loadKeys(
  path: string,
  make: boolean,
  held: MasterKeyRing,
): Promise<Result<string, 'vault.unavailable'>> {
  const fileVersion = (await readFileVersion(path)) ?? '';
  const text =
    (await readKeyFile(path)) ??
    (make ? await createKeyFile(path) : refuse('vault.unavailable', `${path} does not exist.`));
  if (!text.ok) return text;
  const keys = parseMasterKeys(path, text.value);
  if (!keys.ok) return keys;
  held.add(keys.value);
  return ok(fileVersion);
}

/**
 * Changes whenever the file is written or replaced. Taken before the file is read, so that a concurrent
 * change is detected later.
 */
const readFileVersion = async (path: string): Promise<string | null> => {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
};

type KeyFileText = Result<Secret, 'vault.unavailable'>;

/** Null when the file does not exist. */
async function readKeyFile(path: string): Promise<KeyFileText | null> {
  const refuseFile = (what: string) => refuse('vault.unavailable', `${path} ${what}`);
  let file;
  try {
    // Non-blocking: opening a named pipe would block the startup forever.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    return refuseFile(
      code === 'ELOOP' ? 'is a symbolic link; use a regular file.' : `cannot be read (${code}).`,
    );
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return refuseFile('is not a regular file.');
    // Windows has a different permission model that these bits do not represent.
    if (process.geteuid) {
      if (stat.uid !== process.geteuid())
        return refuseFile('is owned by another user; it must be owned by the user who runs Switchboard.');
      if ((stat.mode & 0o077) !== 0) return refuseFile('is accessible by other users; run chmod 600 on it.');
    }
    if (stat.size > FILE_BYTES_MAX) return refuseFile('exceeds the maximum size of a key file.');
    return ok(new Secret(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
}

/**
 * Writes a temporary file and links it into place, so that no other process reads a partial key, even after a
 * crash.
 */
async function createKeyFile(path: string): Promise<KeyFileText> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(temporaryPath, 'wx', 0o600);
    await file.writeFile(`${generateMasterKey().reveal()}\n`);
    await file.sync();
    await file.close();
    await link(temporaryPath, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EEXIST') return refuse('vault.unavailable', `${path} cannot be created (${code}).`);
  } finally {
    await rm(temporaryPath, { force: true });
  }
  return (await readKeyFile(path)) ?? refuse('vault.unavailable', `${path} was deleted while it was read.`);
}
