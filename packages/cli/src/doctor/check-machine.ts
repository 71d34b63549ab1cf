import type { Config } from '@switchboard/bootstrap';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { passedCheck, failedCheck, type Check } from './check.js';

const NODE_MAJOR = 24;

export function checkNode(version = process.versions.node): Check {
  return Number(version.split('.')[0]) === NODE_MAJOR
    ? passedCheck('Node.js', version)
    : failedCheck('Node.js', version, `Start through pnpm or the bin, which use Node.js ${NODE_MAJOR}.`);
}

const NAME = 'data directory';

/**
 * As root the embedded PostgreSQL runs as another user that must traverse the directory, so read access is
 * allowed: write access is checked.
 */
export async function checkDataDirectory({ dataDir }: Config): Promise<Check> {
  const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    return found.code === 'ENOENT'
      ? passedCheck(NAME, `${dataDir} is created at the first start`)
      : failedCheck(
          NAME,
          `${dataDir} cannot be read (${found.code})`,
          'Set SWITCHBOARD_DATA_DIR to a readable directory.',
        );
  }
  if (!found.isDirectory()) {
    return failedCheck(NAME, `${dataDir} is not a directory`, 'Set SWITCHBOARD_DATA_DIR to a directory.');
  }
  const isWritable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).catch(
    () => false,
  );
  if (isWritable === false) {
    return failedCheck(
      NAME,
      `${dataDir} cannot be written`,
      'Make it writable for the user that runs Switchboard.',
    );
  }
  return hasPermissionBits(found.mode, 0o022)
    ? failedCheck(NAME, `${dataDir} can be changed by others`, `chmod go-w ${dataDir}`)
    : passedCheck(NAME, dataDir);
}

/** Read access to one of these allows decrypting or signing everything. */
const SECRET_FILES = ['master-key', 'api-key', 'agent-key', 'cluster.json', 'server.json'];

export async function checkKeyFiles({ dataDir }: Config): Promise<readonly Check[]> {
  const checks = await Promise.all(
    SECRET_FILES.map(async (name) => {
      const file = path.join(dataDir, name);
      const found = await stat(file).catch(() => null);
      if (!found) return [];
      return hasPermissionBits(found.mode, 0o077)
        ? [failedCheck(name, `${file} can be read or changed by others`, `chmod 600 ${file}`)]
        : [passedCheck(name, `${file} is private to its owner`)];
    }),
  );
  return checks.flat();
}

/** Windows has other permissions, which these bits do not reflect. */
const hasPermissionBits = (mode: number, bits: number): boolean =>
  process.platform !== 'win32' && (mode & bits) !== 0;
