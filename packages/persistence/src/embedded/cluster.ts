/** PostgreSQL's own programs: creating a cluster, starting its server, and recovery after a crash. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readText, type ClusterSecret } from './control-files.js';
import { assignOwner, OWN_CWD, type ClusterLayout } from './layout.js';
import { listBackends, readCommandLine, isAlive, waitForExit } from './processes.js';

const USER = 'switchboard';
/** Below the ephemeral port ranges of operating systems, so that the port is free again after a restart. */
export const PORTS = { from: 20_000, below: 32_000 };

type LineLogger = (text: string) => void;

export const clusterUrl = ({ password, port }: ClusterSecret) =>
  `postgresql://${USER}:${password}@127.0.0.1:${port}/postgres`;

/** Creates the cluster if it is missing, and rejects one of another major version of PostgreSQL. */
export async function ensureCluster(layout: ClusterLayout, password: string): Promise<'made' | 'found'> {
  const found = (await readText(path.join(layout.data, 'PG_VERSION')))?.trim();
  if (found === undefined) {
    await initializeCluster(layout, password);
    return 'made';
  }
  const major = /^postgres-(\d+)/.exec(path.basename(layout.binaries))?.[1];
  if (found !== major) {
    throw new Error(
      `${layout.data} was created by PostgreSQL ${found}; this version of Switchboard ships PostgreSQL ${major}`,
    );
  }
  return 'found';
}

/** In a temporary directory beside the target, so that an interrupted initdb leaves no partial cluster. */
async function initializeCluster(layout: ClusterLayout, password: string): Promise<void> {
  const staging = `${layout.data}.new`;
  const passwordFile = path.join(layout.base, 'initdb-password');
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { mode: 0o700 });
  await assignOwner(staging, layout.identity);
  await writeFile(passwordFile, password, { mode: 0o600 });
  await assignOwner(passwordFile, layout.identity);
  // initdb cannot reach the file by its path, but inherits it as standard input.
  const input = layout.entersByCwd ? await open(passwordFile) : null;
  if (input) await rm(passwordFile);
  const initdb = spawnProgram(layout, 'initdb', {
    data: staging,
    input: input?.fd,
    args: [
      ...['-U', USER, '-A', 'scram-sha-256', '--pwfile', input ? '/proc/self/fd/0' : passwordFile],
      ...['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
      ...['--no-instructions', '--no-sync'], // the server syncs the files at its first checkpoint; until then there is no data to lose
    ],
  });
  await input?.close();
  let errorOutput = '';
  initdb.stderr?.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const code = await new Promise((resolve, reject) => initdb.on('error', reject).on('close', resolve));
  await rm(passwordFile, { force: true });
  if (code !== 0) throw new Error(`initdb exited with ${String(code)}: ${errorOutput.trim()}`);
  await rename(staging, layout.data);
}

/**
 * Recovers a cluster whose supervisor or server was killed. Stops a server that is still running. A killed
 * server leaves a postmaster.pid, whose process ID may belong to an unrelated program by now, which is left
 * running, and possibly backends: a computing backend does not notice that its server is gone and holds the
 * shared memory that prevents a new server from starting. Resolves to whether a server was running.
 */
export async function recoverCluster(data: string, logLine: LineLogger): Promise<boolean> {
  const file = path.join(data, 'postmaster.pid');
  const text = await readText(file);
  if (text === null) return false;
  const pid = Number.parseInt(text, 10);
  const name = clusterName(data);
  const orphaned = pid > 0 && isAlive(pid) && isServerOf(readCommandLine(pid), data, name);
  if (orphaned) {
    logLine(`stopping the orphaned postgres ${pid}`);
    process.kill(pid, 'SIGINT');
    if (!(await waitForExit(pid, 5000))) {
      process.kill(pid, 'SIGQUIT');
      await waitForExit(pid, 5000);
    }
  } else {
    logLine(`removing stale postmaster.pid of process ${pid}`);
    for (const backend of listBackends(realpathSync(data), name)) await killBackend(backend, logLine);
  }
  await rm(file, { force: true });
  return orphaned;
}

/**
 * Part of the command line of the server and of the titles of its backends. Without the capability
 * SYS_PTRACE, which root lacks in a container, nothing else tells which cluster a process of `nobody` belongs
 * to.
 */
function clusterName(data: string): string {
  return `switchboard_${createHash('sha256').update(realpathSync(data)).digest('hex').slice(0, 16)}`;
}

/** Servers of earlier versions have no cluster name but name their data by its path. */
const isServerOf = (commandLine: string, data: string, name: string) =>
  commandLine.includes(`cluster_name=${name} `) || commandLine.includes(data);

/** A backend that waits for its client notices that its server is gone, and may have exited by now. */
async function killBackend(pid: number, logLine: LineLogger): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
    logLine(`killed the orphaned backend ${pid}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  await waitForExit(pid, 5000);
}

/** The previous port, if it is still free. */
export async function choosePort(preferred: number): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = attempt === 0 && preferred > 0 ? preferred : randomInt(PORTS.from, PORTS.below);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 between ${PORTS.from} and ${PORTS.below}`);
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer().on('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** A disposable server trades durability for speed. */
export function startServer(
  layout: ClusterLayout,
  secret: ClusterSecret,
  options: { disposable: boolean; log: NodeJS.WritableStream },
) {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(secret.port),
    unix_socket_directories: '', // their paths can be too long, and they would remain in /tmp
    max_connections: options.disposable ? '200' : '100',
    shared_buffers: '64MB',
    cluster_name: clusterName(layout.data),
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(options.disposable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnProgram(layout, 'postgres', { data: layout.data, args });
  let lastOutput = '';
  child.stderr?.pipe(options.log, { end: false });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastOutput = (lastOutput + text).slice(-1000);
    // SIGTERM makes the server wait for its sessions to end, which pools never do, and reject new ones
    // meanwhile.
    if (text.includes('received smart shutdown request')) child.kill('SIGINT');
  });
  let running = true;
  const exited = new Promise<string>((resolve) => {
    const end = (reason: string) => {
      running = false;
      resolve(reason);
    };
    child.on('error', (error) => end(error.message));
    child.on('exit', (code, signal) =>
      end(`postgres exited with ${signal ?? String(code)}: ${lastOutput.trim()}`),
    );
  });
  const waitUntilReady = async () => {
    for (
      const deadline = performance.now() + 60_000;
      !(await acceptsConnections(clusterUrl(secret)));
      await sleep(20)
    ) {
      if (!running) throw new Error(await exited);
      if (performance.now() > deadline) throw new Error('postgres did not accept connections within 60 s');
    }
  };
  return {
    pid: child.pid ?? 0,
    /** Resolves once the server accepts connections. */
    ready: waitUntilReady(),
    /** Resolves to the last output of the server when it exits. */
    exited,
    /** Terminates all sessions, writes a checkpoint and stops. */
    async stop() {
      if (running) child.kill('SIGINT');
      await exited;
    },
  };
}

export type PostgresServer = ReturnType<typeof startServer>;

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

function spawnProgram(
  { binaries, base, identity, entersByCwd }: ClusterLayout,
  program: 'initdb' | 'postgres',
  { data, args, input }: { data: string; args: string[]; input?: number | undefined },
): ChildProcess {
  const { PATH, SWITCHBOARD_RUN } = process.env;
  return spawn(path.join(binaries, 'bin', program), ['-D', entersByCwd ? OWN_CWD : data, ...args], {
    ...identity,
    cwd: entersByCwd ? data : base, // Node.js changes to it before it drops root privileges
    stdio: [input ?? 'ignore', 'ignore', 'pipe'],
    windowsHide: true,
    // Not the whole environment, which contains secrets and may contain PG* variables. The tag identifies the
    // processes of a test run.
    env: { PATH, TZ: 'UTC', ...(SWITCHBOARD_RUN !== undefined && { SWITCHBOARD_RUN }) },
  });
}
