/**
 * The files in a data directory through which supervisors and clients find each other. All of them are
 * private to the user that runs Switchboard.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The address of the running server. Present only while a supervisor is ready, or after it was killed. */
export interface ServerInfo {
  readonly url: string;
  /** Proves to the supervisor that a client can read this directory. */
  readonly token: string;
  readonly leasePort: number;
  readonly keeperPid: number;
  readonly postgresPid: number;
}

/**
 * Must survive a restart: without the password the cluster is inaccessible, without its ID it cannot be
 * located.
 */
export interface ClusterSecret {
  readonly clusterId: string;
  readonly password: string;
  /** Kept between starts, so that connection pools reconnect. */
  readonly port: number;
}

export const getControlFiles = (stateDir: string) => ({
  /** Locked by the running supervisor. */
  lock: path.join(stateDir, 'keeper.lock'),
  info: path.join(stateDir, 'server.json'),
  secret: path.join(stateDir, 'cluster.json'),
  /** Why the last supervisor failed to start. */
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

/** Writes atomically: readers see the old content or the new one. */
export async function writeJson(file: string, content: ServerInfo | ClusterSecret): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
