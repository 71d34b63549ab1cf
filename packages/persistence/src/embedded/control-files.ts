/**
 * The files in a data directory by which keepers and clients find each other. All of them are private to the
 * user that runs Switchboard.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the running server is reached. Present exactly while a keeper is ready, or was killed. */
export interface ServerInfo {
  readonly url: string;
  /** Proves to the keeper that a client can read this directory. */
  readonly token: string;
  readonly leasePort: number;
  readonly keeperPid: number;
  readonly postgresPid: number;
}

/** What must survive a restart: without the password the cluster is unreachable, without its id it is not found. */
export interface ClusterSecret {
  readonly clusterId: string;
  readonly password: string;
  /** Kept between starts, so that connection pools find the server again. */
  readonly port: number;
}

export const getControlFiles = (stateDir: string) => ({
  /** Locked by the living keeper. */
  lock: path.join(stateDir, 'keeper.lock'),
  info: path.join(stateDir, 'server.json'),
  secret: path.join(stateDir, 'cluster.json'),
  /** Why the last keeper could not start. */
  failure: path.join(stateDir, 'keeper.error'),
  log: path.join(stateDir, 'keeper.log'),
});

export async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

export async function readJson<T>(file: string): Promise<T | null> {
  const text = await readText(file);
  return text === null ? null : (JSON.parse(text) as T);
}

/** Readers see the old content or the new one, never half of it. */
export async function writeJson(file: string, content: ServerInfo | ClusterSecret): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
