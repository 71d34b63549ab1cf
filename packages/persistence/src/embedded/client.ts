import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlFiles, readJson, readText, type ServerInfo } from './control-files.js';
import { prepareDataDirectory } from './data-directory.js';
import { ask } from './keeper-line.js';

/** The right to use the server. It keeps the server running and does not keep this process running. */
export interface Lease {
  readonly url: string;
  /** Whether this lease found no server and started one. */
  readonly started: boolean;
  /** Resolves when somebody has stopped the server deliberately. The lease is then void. */
  readonly stopped: Promise<void>;
  release(): Promise<void>;
}

export interface LeaseOptions {
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
export async function leaseServer(options: LeaseOptions): Promise<Lease> {
  const first = await acquire(options);
  let { url, socket } = first;
  let released = false;
  const stopped = Promise.withResolvers<void>();

  const watch = () => {
    let deliberately = false;
    socket.on('data', (text: string) => (deliberately ||= text.includes('stopped')));
    socket.once('close', () => {
      if (released) return;
      if (deliberately) stopped.resolve();
      else void regain();
    });
  };
  const regain = async () => {
    while (!released) {
      const next = await acquire(options).catch(() => null);
      if (!next) {
        await sleep(1000, undefined, { ref: false });
        continue;
      }
      ({ url, socket } = next);
      if (released) socket.destroy();
      else watch();
      return;
    }
  };
  watch();

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

interface Acquired {
  readonly url: string;
  readonly socket: net.Socket;
  readonly started: boolean;
}

async function acquire(options: LeaseOptions): Promise<Acquired> {
  const stateDir = path.resolve(options.stateDir);
  const files = controlFiles(stateDir);
  await prepareDataDirectory(stateDir);
  const deadline = performance.now() + (options.timeoutMs ?? 60_000);
  let keeper: Keeper | undefined;
  for (;;) {
    const info = await readJson<ServerInfo>(files.info);
    const line = info && (await ask(info, 'lease'));
    if (info && line?.answer === 'granted') {
      line.socket.unref();
      return { url: info.url, socket: line.socket, started: keeper?.pid === info.keeperPid };
    }
    line?.socket.destroy();
    if (keeper?.failed) {
      const reason = (await readText(files.failure)) ?? 'the keeper ended';
      throw new Error(`The embedded PostgreSQL did not start: ${reason} (log: ${files.log})`);
    }
    if (performance.now() > deadline) {
      throw new Error(`The embedded PostgreSQL did not start in time (log: ${files.log})`);
    }
    // One that ended without failing has left the work to another keeper, which may be gone by now.
    if (!keeper || keeper.ended) keeper = spawnKeeper(stateDir, options);
    await sleep(25);
  }
}

interface Keeper {
  readonly pid: number | undefined;
  ended: boolean;
  failed: boolean;
}

function spawnKeeper(stateDir: string, { idleMs = 3000, disposable = false }: LeaseOptions): Keeper {
  // By its name in the package, not relative to this file, which may be source under test or part of a bundle.
  const program = createRequire(import.meta.url).resolve('@switchboard/persistence/keeper');
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      program,
      ...[stateDir, String(idleMs), disposable ? 'disposable' : 'durable'],
    ],
    { cwd: '/', detached: true, stdio: 'ignore', windowsHide: true },
  );
  const keeper: Keeper = { pid: child.pid, ended: false, failed: false };
  child.on('error', () => Object.assign(keeper, { ended: true, failed: true }));
  // Without a code it was killed, which says nothing about the next one.
  child.on('exit', (code) => Object.assign(keeper, { ended: true, failed: code !== null && code !== 0 }));
  child.unref();
  return keeper;
}
