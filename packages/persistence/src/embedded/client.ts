import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getControlFiles, readJson, readText, type ServerInfo } from './control-files.js';
import { prepareDataDirectory } from './data-directory.js';
import { sendSupervisorRequest } from './send-supervisor-request.js';

interface ServerLeaseOptions {
  /** The data directory. One server serves all processes with the same directory. */
  readonly stateDir: string;
  /** How long the server outlives its last lease. Applies when this call starts the server. */
  readonly idleMs?: number;
  /** Trades durability for speed, for tests. Applies when this call starts the server. */
  readonly disposable?: boolean;
  readonly timeoutMs?: number;
}

/**
 * Leases the server of a data directory, starting it if it is not running. A server that exits without a stop
 * request is restarted transparently: it returns on the same port, so connection pools recover by themselves.
 * Throws PostgreSQL's reason when it cannot be started.
 */
export async function leaseServer(options: ServerLeaseOptions) {
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
    /** Whether this lease started the server. */
    started: first.started,
    /** Resolves when the server was stopped deliberately. The lease is then void. */
    stopped: stopped.promise,
    release: () =>
      new Promise<void>((resolve) => {
        released = true;
        if (socket.destroyed) return resolve();
        socket.ref();
        socket.once('close', () => resolve());
        socket.destroy();
      }),
  };
}

/** A lease on the server. It keeps the server running but does not keep this process running. */
export type ServerLease = Awaited<ReturnType<typeof leaseServer>>;

async function acquireLease(options: ServerLeaseOptions) {
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
      const reason = (await readText(files.failure)) ?? 'the supervisor exited';
      throw new Error(`The embedded PostgreSQL did not start: ${reason} (log: ${files.log})`);
    }
    if (performance.now() > deadline) {
      throw new Error(`The embedded PostgreSQL did not start in time (log: ${files.log})`);
    }
    // A supervisor that exited without a failure left the work to another one, which may be gone by now.
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
  // Resolved by the package export, not relative to this file, which may be source under test or part of a
  // bundle.
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
  // Without an exit code it was killed, which does not predict the next attempt.
  child.on('exit', (code) => Object.assign(supervisor, { ended: true, failed: code !== null && code !== 0 }));
  child.unref();
  return supervisor;
}
