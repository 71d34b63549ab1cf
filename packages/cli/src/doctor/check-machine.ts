import type { Config } from '@switchboard/bootstrap';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { fine, problem, type Check } from './check.js';

const NODE_MAJOR = 24;

export function checkNode(version = process.versions.node): Check {
  return Number(version.split('.')[0]) === NODE_MAJOR
    ? fine('Node.js', version)
    : problem('Node.js', version, `Start through pnpm or the bin, which use Node.js ${NODE_MAJOR}.`);
}

const NAME = 'data directory';

/** As root the embedded PostgreSQL runs as another user and must pass it, so reading it is not the matter: writing is. */
export async function checkDataDirectory({ dataDir }: Config): Promise<Check> {
  const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    return found.code === 'ENOENT'
      ? fine(NAME, `${dataDir} is made at the first start`)
      : problem(
          NAME,
          `${dataDir} cannot be looked at (${found.code})`,
          'Set SWITCHBOARD_DATA_DIR to one that can.',
        );
  }
  if (!found.isDirectory()) {
    return problem(NAME, `${dataDir} is not a directory`, 'Set SWITCHBOARD_DATA_DIR to one.');
  }
  const usable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).catch(() => false);
  if (usable === false) {
    return problem(NAME, `${dataDir} cannot be written`, 'Give it to the user who starts Switchboard.');
  }
  return isLoose(found.mode, 0o022)
    ? problem(NAME, `${dataDir} can be changed by others`, `chmod go-w ${dataDir}`)
    : fine(NAME, dataDir);
}

/** Whoever reads one of these reads or signs everything. */
const SECRET_FILES = ['master-key', 'api-key', 'agent-key', 'cluster.json', 'server.json'];

export async function checkKeyFiles({ dataDir }: Config): Promise<readonly Check[]> {
  const checks = await Promise.all(
    SECRET_FILES.map(async (name) => {
      const file = path.join(dataDir, name);
      const found = await stat(file).catch(() => null);
      if (!found) return [];
      return isLoose(found.mode, 0o077)
        ? [problem(name, `${file} can be read or changed by others`, `chmod 600 ${file}`)]
        : [fine(name, `${file} is its owner’s only`)];
    }),
  );
  return checks.flat();
}

/** Windows has other permissions, of which these bits say nothing. */
const isLoose = (mode: number, bits: number): boolean => process.platform !== 'win32' && (mode & bits) !== 0;
