import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ok, refuse, Secret, type Result } from '@switchboard/domain';
import { generateMasterKey } from './generate-master-key.js';
import { localMasterKeys } from './local-master-keys.js';
import type { MasterKeyProvider } from './master-keys.js';
import { parseMasterKeys } from './parse-master-keys.js';

const FILE_BYTES_MAX = 4096;

/**
 * The key of an installation on one machine, in a file that only its owner reads, made the first time. Processes that
 * start together make one key. A file that others could have read or replaced is refused rather than repaired.
 */
export async function fileMasterKeys(path: string): Promise<Result<MasterKeyProvider, 'vault.unavailable'>> {
  const text = (await read(path)) ?? (await create(path));
  if (!text.ok) return text;
  const keys = parseMasterKeys(path, text.value);
  return keys.ok ? ok(await localMasterKeys(keys.value)) : keys;
}

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
