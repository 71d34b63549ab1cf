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

export interface FileMasterKeysOptions {
  /** Makes the file with a first key where there is none. */
  readonly createIfMissing: boolean;
}

/**
 * The keys of a file that only its owner reads, newest first. Processes that start together where there is none make one
 * key. A file that others could have read or replaced is refused rather than repaired.
 *
 * A file that is changed later is read again: a key that was added can be used without a restart. One that was taken
 * out can be used until the restart, and a file that is wrong, or half written, changes nothing.
 */
export async function fileMasterKeys(
  path: string,
  { createIfMissing: make }: FileMasterKeysOptions,
): Promise<Result<MasterKeyProvider, 'vault.unavailable'>> {
  const keyRing = await createMasterKeyRing();
  const loadResult = await loadKeys(path, make, keyRing);
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

/** Answers the mark of what was read. */
async function loadKeys(
  path: string,
  make: boolean,
  held: MasterKeyRing,
): Promise<Result<string, 'vault.unavailable'>> {
  const fileVersion = (await readFileVersion(path)) ?? '';
  const text =
    (await readKeyFile(path)) ??
    (make ? await createKeyFile(path) : refuse('vault.unavailable', `${path} is not there.`));
  if (!text.ok) return text;
  const keys = parseMasterKeys(path, text.value);
  if (!keys.ok) return keys;
  held.add(keys.value);
  return ok(fileVersion);
}

/** Differs once the file was written or replaced. Taken before the file is read, so that what comes in between is seen later. */
const readFileVersion = async (path: string): Promise<string | null> => {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
};

type KeyFileText = Result<Secret, 'vault.unavailable'>;

/** Null when there is no file. */
async function readKeyFile(path: string): Promise<KeyFileText | null> {
  const refuseFile = (what: string) => refuse('vault.unavailable', `${path} ${what}`);
  let file;
  try {
    // Not blocking, or a named pipe in its place would hold the start up for ever.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    return refuseFile(
      code === 'ELOOP' ? 'is a symbolic link; put the file itself there.' : `cannot be read (${code}).`,
    );
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return refuseFile('is not a file.');
    // Windows has other permissions, of which these bits say nothing.
    if (process.geteuid) {
      if (stat.uid !== process.geteuid())
        return refuseFile('belongs to another user; it must belong to the one who starts.');
      if ((stat.mode & 0o077) !== 0) return refuseFile('can be read or changed by others; chmod 600 it.');
    }
    if (stat.size > FILE_BYTES_MAX) return refuseFile('is too large for a list of keys.');
    return ok(new Secret(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
}

/** Written aside and linked into place: no other process, and no crash, ever meets half a key. */
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
    if (code !== 'EEXIST') return refuse('vault.unavailable', `${path} cannot be made (${code}).`);
  } finally {
    await rm(temporaryPath, { force: true });
  }
  return (await readKeyFile(path)) ?? refuse('vault.unavailable', `${path} was removed while it was read.`);
}
