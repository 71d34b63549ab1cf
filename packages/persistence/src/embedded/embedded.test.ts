import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { leaseServer } from './client.js';
import { getControlFiles, readJson, type ClusterSecret } from './control-files.js';
import { getServerStatus, stopServer } from './control.js';
import { dataDirectory } from './layout.js';
import { isAlive, waitForExit } from './processes.js';

const root = path.resolve(import.meta.dirname, '../../../..');
const home = mkdtempSync(path.join(os.tmpdir(), 'switchboard-embedded-'));
const stateDir = path.join(home, 'state');
const options = { stateDir, idleMs: 500 };

/**
 * A separate process that leases the server, inserts a row, reports it as JSON, and runs until it is stopped.
 */
const CLIENT = `
  import pg from 'pg';
  import { leaseServer } from '@switchboard/persistence/embedded';
  const lease = await leaseServer(JSON.parse(process.argv[1]));
  const client = new pg.Client({ connectionString: lease.url });
  client.on('error', () => {});
  await client.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  await client.query('CREATE TABLE IF NOT EXISTS mark (pid int)');
  await client.query('INSERT INTO mark VALUES ($1)', [process.pid]);
  await client.end();
  console.log(JSON.stringify({ started: lease.started, url: lease.url }));
  process.stdin.resume().on('end', () => lease.release().then(() => process.exit(0)));
`;

interface Client {
  readonly child: ChildProcess;
  readonly said: { started: boolean; url: string };
}

async function startClient(): Promise<Client> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, JSON.stringify(options)], {
    cwd: path.join(root, 'packages/persistence'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, said: JSON.parse(line) as Client['said'] };
}

async function end({ child }: Client): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
}

async function count(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM mark');
  await client.end();
  return rows[0]?.count ?? 0;
}

async function running() {
  const status = await getServerStatus(stateDir);
  if (!status.running) throw new Error('the server is not running');
  return status;
}

/** Polls without a deadline, for slow machines. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}

const secret = async (directory: string) =>
  (await readJson<ClusterSecret>(getControlFiles(directory).secret)) ?? {
    clusterId: '',
    password: '',
    port: 0,
  };
const postmasterFile = async () =>
  path.join(await dataDirectory(stateDir, (await secret(stateDir)).clusterId), 'postmaster.pid');

let rows = 0;
let sixClients: { clients: Client[]; status: Awaited<ReturnType<typeof running>>; rows: number };
beforeAll(async () => {
  const clients = await Promise.all(Array.from({ length: 6 }, startClient));
  sixClients = { clients, status: await running(), rows: await count(clients[0]?.said.url ?? '') };
  rows = 6;
  await Promise.all(clients.map(end));
}, 60_000);

afterAll(async () => {
  await stopServer(stateDir);
  const { clusterId } = await secret(stateDir);
  await rm(path.dirname(await dataDirectory(stateDir, clusterId)), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

test('six concurrent processes share one server', () => {
  const { clients, status, rows } = sixClients;
  expect(clients.filter(({ said }) => said.started)).toHaveLength(1);
  expect(new Set(clients.map(({ said }) => said.url)).size).toBe(1);
  expect(status.leases).toBe(6);
  expect(rows).toBe(6);
});

test('the server stops some time after the last client exits, and returns on the same port', async () => {
  const before = sixClients.status;
  expect(await waitForExit(before.postgresPid, 10_000)).toBe(true);
  await until(async () => !(await getServerStatus(stateDir)).running);
  const lease = await leaseServer(options);
  expect(lease.started).toBe(true);
  expect((await running()).port).toBe(before.port);
  expect(await count(lease.url)).toBe(rows);
  await lease.release();
});

test('a killed client releases its lease', async () => {
  const client = await startClient();
  rows += 1;
  const { supervisorPid, postgresPid, leases } = await running();
  expect(leases).toBe(1);
  client.child.kill('SIGKILL');
  expect(await waitForExit(postgresPid, 10_000)).toBe(true);
  expect(await waitForExit(supervisorPid, 10_000)).toBe(true);
});

test.each([
  ['the supervisor', ['supervisorPid']],
  ['the supervisor and PostgreSQL', ['supervisorPid', 'postgresPid']],
] as const)('a lease survives that %s is killed, and no committed data is lost', async (_who, victims) => {
  const lease = await leaseServer(options);
  const before = await running();
  for (const victim of victims) process.kill(before[victim], 'SIGKILL');
  await until(async () => {
    const now = await getServerStatus(stateDir);
    return now.running && now.supervisorPid !== before.supervisorPid && now.leases === 1;
  });
  const after = await running();
  expect(after.port).toBe(before.port);
  expect(isAlive(before.postgresPid)).toBe(false);
  expect(await count(lease.url)).toBe(rows);
  await lease.release();
});

/** An idle session, and a computing one that does not notice that its server is gone. */
async function openSessions(url: string): Promise<readonly pg.Client[]> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: url }));
  for (const client of clients) {
    client.on('error', () => undefined);
    await client.connect();
  }
  clients[1]?.query('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => undefined);
  await sleep(100);
  return clients;
}

test.each(['SIGKILL', 'SIGQUIT', 'SIGINT', 'SIGTERM', 'SIGABRT'] as const)(
  'the supervisor restarts a PostgreSQL that %s has ended, although sessions are open (finding 13)',
  async (signal) => {
    const lease = await leaseServer(options);
    const before = await running();
    const sessions = await openSessions(lease.url);
    process.kill(before.postgresPid, signal);
    await until(async () => {
      const now = await getServerStatus(stateDir);
      return now.running && now.postgresPid !== before.postgresPid;
    });
    expect(await running()).toMatchObject({
      supervisorPid: before.supervisorPid,
      port: before.port,
      leases: 1,
    });
    expect(isAlive(before.postgresPid)).toBe(false);
    expect(await count(lease.url)).toBe(rows);
    for (const client of sessions) await client.end();
    await lease.release();
  },
);

test('a stop request during a restart of PostgreSQL takes effect', async () => {
  const lease = await leaseServer(options);
  const { supervisorPid, postgresPid } = await running();
  process.kill(postgresPid, 'SIGKILL');
  while (await readJson(getControlFiles(stateDir).info)) await sleep(1);
  process.kill(supervisorPid, 'SIGTERM');
  await lease.stopped;
  expect(await waitForExit(supervisorPid, 10_000)).toBe(true);
  expect(await stopServer(stateDir)).toBe(false);
  expect(await getServerStatus(stateDir)).toEqual({ running: false });
});

test('a postmaster.pid with the ID of an unrelated process stops neither that process nor the start', async () => {
  await stopServer(stateDir);
  const unrelated = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await writeFile(await postmasterFile(), `${unrelated.pid}\n`);
  const lease = await leaseServer(options);
  expect(await count(lease.url)).toBe(rows);
  expect(unrelated.exitCode ?? unrelated.signalCode).toBeNull();
  unrelated.kill();
  await lease.release();
});

test('a deliberate stop is announced to lease holders, which do not restart the server', async () => {
  const lease = await leaseServer(options);
  const { supervisorPid, postgresPid } = await running();
  expect(await stopServer(stateDir)).toBe(true);
  await lease.stopped;
  expect([isAlive(supervisorPid), isAlive(postgresPid)]).toEqual([false, false]);
  await sleep(300);
  expect(await getServerStatus(stateDir)).toEqual({ running: false });
  expect(await stopServer(stateDir)).toBe(false);
});

test('a stop also ends a server whose supervisor was killed', async () => {
  const client = await startClient();
  rows += 1;
  const { supervisorPid, postgresPid } = await running();
  client.child.kill('SIGKILL');
  process.kill(supervisorPid, 'SIGKILL');
  expect(await stopServer(stateDir)).toBe(true);
  expect(isAlive(postgresPid)).toBe(false);
});

test('a wrong token grants no access', async () => {
  const lease = await leaseServer(options);
  const { info } = getControlFiles(stateDir);
  const text = await readFile(info, 'utf8');
  const { token } = JSON.parse(text) as { token: string };
  await writeFile(info, text.replace(token, 'f'.repeat(token.length)));
  expect(await getServerStatus(stateDir)).toEqual({ running: false });
  await writeFile(info, text);
  expect(await running()).toMatchObject({ leases: 1 });
  await lease.release();
});

test('a data directory that is moved keeps its data', async () => {
  await stopServer(stateDir);
  const moved = path.join(home, 'moved');
  await rename(stateDir, moved);
  const lease = await leaseServer({ ...options, stateDir: moved });
  expect(await count(lease.url)).toBe(rows);
  await stopServer(moved);
  await rename(moved, stateDir);
});

if (process.getuid?.() === 0) {
  test('a cluster of an earlier version outside the data directory is found, and not shared with a copy', async () => {
    await stopServer(stateDir);
    const { clusterId } = await secret(stateDir);
    expect(clusterId).toMatch(/^[0-9a-f]{16}$/); // the test deletes the directory of this name
    const systemBase = path.join('/var/lib/switchboard', clusterId);
    await mkdir(systemBase, { recursive: true });
    try {
      await rename(path.join(stateDir, 'pgdata'), path.join(systemBase, 'pgdata'));
      const lease = await leaseServer(options);
      expect(await count(lease.url)).toBe(rows);
      expect((await stat(systemBase)).mode & 0o777).toBe(0o700);
      await lease.release();
      await stopServer(stateDir);
      const copy = path.join(home, 'copy');
      await cp(stateDir, copy, { recursive: true });
      await expect(leaseServer({ ...options, stateDir: copy })).rejects.toThrow(`is a copy of ${stateDir}`);
    } finally {
      await stopServer(stateDir);
      await rename(path.join(systemBase, 'pgdata'), path.join(stateDir, 'pgdata'));
      await rm(systemBase, { recursive: true });
    }
  });
}

test('a cluster of another major version is rejected with both versions named', async () => {
  await stopServer(stateDir);
  const file = path.join(path.dirname(await postmasterFile()), 'PG_VERSION');
  const version = await readFile(file, 'utf8');
  await writeFile(file, '12\n');
  await expect(leaseServer(options)).rejects.toThrow(
    /created by PostgreSQL 12; this version of Switchboard ships PostgreSQL 18/,
  );
  await writeFile(file, version);
});

test('the files with the password are readable by their owner only', async () => {
  const lease = await leaseServer(options);
  const files = getControlFiles(stateDir);
  for (const file of [files.secret, files.info, files.log]) expect((await stat(file)).mode & 0o077).toBe(0);
  await lease.release();
});
