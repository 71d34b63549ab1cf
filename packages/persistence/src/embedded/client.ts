import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getControlFiles, readJson, readText, type ServerInfo } from './control-files.js';
import { prepareDataDirectory } from './data-directory.js';
import { sendSupervisorRequest } from './send-supervisor-request.js';

/** The right to use the server. It keeps the server running and does not keep this process running. */
export interface ServerLease {
  readonly url: string;
  /** Whether this lease found no server and started one. */
  readonly started: boolean;
  /** Resolves when somebody has stopped the server deliberately. The lease is then void. */
  readonly stopped: Promise<void>;
  release(): Promise<void>;
}

export interface ServerLeaseOptions {
  /** The data directory. One server serves all processes that name the same one. */
  readonly stateDir: string;
  /** How long the server outlives its last lease. Counts for whoever starts it. */
  readonly idleMs?: number;
  /** Gives up durability for speed: for tests. Counts for whoever starts the server. */
  readonly disposable?: boolean;
  readonly timeoutMs?: number;
}

/**
 * Attaches to the server of a data directory, starting it when nobody has. A server that is lost without having
 * been stopped is started again behind the caller's back: it comes back on the same port, so connection pools
 * recover by themselves. Throws when PostgreSQL cannot be started, with PostgreSQL's reason.
 */
export async function leaseServer(options: ServerLeaseOptions): Promise<ServerLease> {
  const first = await acquireLease(options);
  let { url, socket } = first;
  let released = false;
  const stopped = Promise.withResolvers<void>();

  const watchConnection = () => {
    let wasStopped = false;
    socket.on('data', (text: string) => (wasStopped ||= text.includes('stopped')));
    socket.once('close', () => {
      if (released) return;
      if (wasStopped) stopped.resolve();
      else void reacquire();
    });
  };
  const reacquire = async () => {
    while (!released) {
      const next = await acquireLease(options).catch(() => null);
      if (!next) {
        await sleep(1000, undefined, { ref: false });
        continue;
      }
      ({ url, socket } = next);
      if (released) socket.destroy();
      else watchConnection();
      return;
    }
  };
  watchConnection();

  return {
    get url() {
      return url;
    },
    started: first.started,
    stopped: stopped.promise,
    release: () =>
      new Promise((resolve) => {
        released = true;
        if (socket.destroyed) return resolve();
        socket.ref();
        socket.once('close', () => resolve());
        socket.destroy();
      }),
  };
}

interface AcquiredLease {
  readonly url: string;
  readonly socket: net.Socket;
  readonly started: boolean;
}

async function acquireLease(options: ServerLeaseOptions): Promise<AcquiredLease> {
  const stateDir = path.resolve(options.stateDir);
  const files = getControlFiles(stateDir);
  await prepareDataDirectory(stateDir);
  const deadline = performance.now() + (options.timeoutMs ?? 60_000);
  let supervisor: SupervisorProcess | undefined;
  for (;;) {
    const info = await readJson<ServerInfo>(files.info);
    const connection = info && (await sendSupervisorRequest(info, 'lease'));
    if (info && connection?.response === 'granted') {
      connection.socket.unref();
      return { url: info.url, socket: connection.socket, started: supervisor?.pid === info.keeperPid };
    }
    connection?.socket.destroy();
    if (supervisor?.failed) {
      const reason = (await readText(files.failure)) ?? 'the keeper ended';
      throw new Error(`The embedded PostgreSQL did not start: ${reason} (log: ${files.log})`);
    }
    if (performance.now() > deadline) {
      throw new Error(`The embedded PostgreSQL did not start in time (log: ${files.log})`);
    }
    // One that ended without failing has left the work to another keeper, which may be gone by now.
    if (!supervisor || supervisor.ended) supervisor = spawnSupervisor(stateDir, options);
    await sleep(25);
  }
}

interface SupervisorProcess {
  readonly pid: number | undefined;
  ended: boolean;
  failed: boolean;
}

function spawnSupervisor(
  stateDir: string,
  { idleMs = 3000, disposable = false }: ServerLeaseOptions,
): SupervisorProcess {
  // By its name in the package, not relative to this file, which may be source under test or part of a bundle.
  const program = createRequire(import.meta.url).resolve('@switchboard/persistence/supervisor');
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      program,
      ...[stateDir, String(idleMs), disposable ? 'disposable' : 'durable'],
    ],
    { cwd: '/', detached: true, stdio: 'ignore', windowsHide: true },
  );
  const supervisor: SupervisorProcess = { pid: child.pid, ended: false, failed: false };
  child.on('error', () => Object.assign(supervisor, { ended: true, failed: true }));
  // Without a code it was killed, which says nothing about the next one.
  child.on('exit', (code) => Object.assign(supervisor, { ended: true, failed: code !== null && code !== 0 }));
  child.unref();
  return supervisor;
}
