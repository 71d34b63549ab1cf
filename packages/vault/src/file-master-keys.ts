import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ok, refuse, Secret, type Result } from '@switchboard/domain';
import { generateMasterKey } from './generate-master-key.js';
import { growingMasterKeys, type GrowingMasterKeys } from './local-master-keys.js';
import type { MasterKeyProvider } from './master-keys.js';
import { parseMasterKeys } from './parse-master-keys.js';

const FILE_BYTES_MAX = 4096;

export interface FileMasterKeysOptions {
  /** Makes the file with a first key where there is none. */
  readonly make: boolean;
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
  { make }: FileMasterKeysOptions,
): Promise<Result<MasterKeyProvider, 'vault.unavailable'>> {
  const held = await growingMasterKeys();
  const took = await take(path, make, held);
  if (!took.ok) return took;
  let last = took.value;
  return ok({
    ...held.provider,
    async list() {
      const now = await markOf(path);
      if (now !== null && now !== last) {
        const again = await take(path, false, held);
        if (again.ok) last = again.value;
      }
      return held.provider.list();
    },
  });
}

/** Answers the mark of what was read. */
async function take(
  path: string,
  make: boolean,
  held: GrowingMasterKeys,
): Promise<Result<string, 'vault.unavailable'>> {
  const mark = (await markOf(path)) ?? '';
  const text =
    (await read(path)) ?? (make ? await create(path) : refuse('vault.unavailable', `${path} is not there.`));
  if (!text.ok) return text;
  const keys = parseMasterKeys(path, text.value);
  if (!keys.ok) return keys;
  held.take(keys.value);
  return ok(mark);
}

/** Differs once the file was written or replaced. Taken before the file is read, so that what comes in between is seen later. */
const markOf = async (path: string): Promise<string | null> => {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
};

type Text = Result<Secret, 'vault.unavailable'>;

/** Null when there is no file. */
async function read(path: string): Promise<Text | null> {
  const no = (what: string) => refuse('vault.unavailable', `${path} ${what}`);
  let file;
  try {
    // Not blocking, or a named pipe in its place would hold the start up for ever.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    return no(
      code === 'ELOOP' ? 'is a symbolic link; put the file itself there.' : `cannot be read (${code}).`,
    );
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return no('is not a file.');
    // Windows has other permissions, of which these bits say nothing.
    if (process.geteuid) {
      if (stat.uid !== process.geteuid())
        return no('belongs to another user; it must belong to the one who starts.');
      if ((stat.mode & 0o077) !== 0) return no('can be read or changed by others; chmod 600 it.');
    }
    if (stat.size > FILE_BYTES_MAX) return no('is too large for a list of keys.');
    return ok(new Secret(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
}

/** Written aside and linked into place: no other process, and no crash, ever meets half a key. */
async function create(path: string): Promise<Text> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(aside, 'wx', 0o600);
    await file.writeFile(`${generateMasterKey().reveal()}\n`);
    await file.sync();
    await file.close();
    await link(aside, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EEXIST') return refuse('vault.unavailable', `${path} cannot be made (${code}).`);
  } finally {
    await rm(aside, { force: true });
  }
  return (await read(path)) ?? refuse('vault.unavailable', `${path} was removed while it was read.`);
}
