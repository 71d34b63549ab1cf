import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '@switchboard/persistence/testing';
import { eventually } from '../support/eventually.js';
import { startTcpProxy } from '../support/start-tcp-proxy.js';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';

/** The programs of Debian's newest `postgresql`. */
function findPrograms(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  if (versions[0] === undefined) throw new Error('Install PostgreSQL first: apt-get install postgresql');
  return path.join(VERSIONS, versions[0], 'bin');
}

/** PostgreSQL refuses to run as root. */
async function findOwner(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

interface Server {
  readonly port: number;
  readonly url: string;
  /** Kills all of its processes at once, as the loss of its machine does. */
  kill(): Promise<void>;
}

export interface PostgresCluster {
  readonly primary: Server;
  readonly standby: Server;
  /** Discards what the primary sends to the standby from now on. */
  cutReplication(): void;
  /** Resolves when the standby accepts writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** A primary and a streaming standby. `synchronous`: a commit is acknowledged when the standby has it on its disk. */
export async function startPostgresCluster({
  synchronous,
}: {
  readonly synchronous: boolean;
}): Promise<PostgresCluster> {
  const [programs, owner] = [findPrograms(), await findOwner()];
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-ha-'));
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? 0);
  const execute = (name: string, ...args: string[]) =>
    run(path.join(programs, name), args, { ...owner, cwd: folder });
  const servers: ChildProcess[] = [];
  const start = async (name: string, port: number, ...settings: string[]): Promise<Server> => {
    const url = `postgresql://switchboard@127.0.0.1:${port}/postgres`;
    const options = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];
    const child = spawn(
      path.join(programs, 'postgres'),
      ['-D', path.join(folder, name), ...options.flatMap((option) => ['-c', option])],
      { ...owner, cwd: folder, stdio: 'ignore' },
    );
    servers.push(child);
    await eventually(`${name} accepts connections`, () => query(url, 'SELECT 1').catch(() => null));
    return {
      port,
      url,
      async kill() {
        const { pid = 0 } = child;
        const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
        const exited = once(child, 'exit');
        for (const one of [pid, ...children.map(Number)]) signal(one);
        await exited;
      },
    };
  };
  const [port, standbyPort] = [await freePort(), await freePort()];
  await execute(
    'initdb',
    ...['-D', path.join(folder, 'primary'), '-U', 'switchboard', '--auth=trust', '--no-sync'],
    ...['-E', 'UTF8', '--locale=C.UTF-8'],
  );
  const primary = await start('primary', port, 'wal_keep_size=256MB');
  const cable = await startTcpProxy({ host: '127.0.0.1', port });
  await execute(
    'pg_basebackup',
    ...['-h', '127.0.0.1', '-p', String(cable.port), '-U', 'switchboard', '-D', path.join(folder, 'standby')],
    ...['-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
  );
  const standby = await start('standby', standbyPort);
  await eventually('the standby streams', async () => {
    const rows = await query(primary.url, `SELECT FROM pg_stat_replication WHERE state = 'streaming'`);
    return rows.length === 1 ? true : null;
  });
  if (synchronous) {
    await query(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await query(primary.url, 'SELECT pg_reload_conf()');
    await eventually('the standby is synchronous', async () => {
      const rows = await query(primary.url, `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`);
      return rows.length === 1 ? true : null;
    });
  }
  return {
    primary,
    standby,
    cutReplication: () => cable.dropTraffic(),
    promote: async () => {
      await query(standby.url, 'SELECT pg_promote()');
      await eventually('the standby accepts writes', async () => {
        const [row] = await query<{ waiting: boolean }>(
          standby.url,
          'SELECT pg_is_in_recovery() AS waiting',
        ).catch(() => [{ waiting: true }]);
        return row?.waiting === false ? true : null;
      });
    },
    async stop() {
      await cable.close();
      for (const child of servers) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exited = once(child, 'exit');
        child.kill('SIGQUIT');
        await exited;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A process may have ended since it was listed. */
function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
