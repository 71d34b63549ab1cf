/** Inspects and stops the server of a data directory, without starting it. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recoverCluster } from './cluster.js';
import { getControlFiles, readJson, type ClusterSecret, type ServerInfo } from './control-files.js';
import { sendSupervisorRequest } from './send-supervisor-request.js';
import { tryAcquireSupervisorLock } from './try-acquire-supervisor-lock.js';
import { dataDirectory } from './layout.js';

export type ServerStatus =
  | { readonly running: false }
  | {
      readonly running: true;
      readonly port: number;
      readonly supervisorPid: number;
      readonly postgresPid: number;
      /** The number of processes that use the server. */
      readonly leases: number;
    };

export async function getServerStatus(stateDir: string): Promise<ServerStatus> {
  const info = await readJson<ServerInfo>(getControlFiles(path.resolve(stateDir)).info);
  const connection = info && (await sendSupervisorRequest(info, 'status'));
  if (!info || !connection?.response) return { running: false };
  const { leases } = JSON.parse(connection.response) as { leases: number };
  return {
    running: true,
    port: Number(new URL(info.url).port),
    supervisorPid: info.keeperPid,
    postgresPid: info.postgresPid,
    leases,
  };
}

/**
 * Stops the server, also one whose supervisor was killed. Resolves after it has exited to whether there was
 * one. Notifies lease holders not to restart it.
 */
export async function stopServer(stateDir: string): Promise<boolean> {
  const directory = path.resolve(stateDir);
  const files = getControlFiles(directory);
  const secret = await readJson<ClusterSecret>(files.secret);
  if (!secret) return false;
  let stopRequested = false;
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(20)) {
    const lock = tryAcquireSupervisorLock(files.lock);
    if (lock) {
      try {
        const orphaned = await recoverCluster(
          await dataDirectory(directory, secret.clusterId),
          () => undefined,
        );
        await rm(files.info, { force: true });
        return stopRequested || orphaned;
      } finally {
        lock.release();
      }
    }
    // The supervisor responds by closing the connection, when it exits.
    const info = await readJson<ServerInfo>(files.info);
    const connection = info && (await sendSupervisorRequest(info, 'stop', 60_000));
    stopRequested ||= connection !== null;
  }
  throw new Error(`The embedded PostgreSQL did not stop (log: ${files.log})`);
}
