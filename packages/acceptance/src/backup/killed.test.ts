import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseServer } from '@switchboard/persistence/embedded';
import { emptyTestDatabase, testDatabase } from '@switchboard/persistence/testing';
import { startCommitProxy } from '../support/commit-proxy.js';
import { queryRows } from '../support/database.js';
import type { Env } from '../support/installation.js';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';

/** Enough for a command to take seconds, so that it can be killed at every stage. */
const ROWS = 100_000;
const KILLS = 6;

let folder: string;
let env: Env;
let original: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-killed-'));
  original = await testDatabase('killed_backup');
  env = {
    DATABASE_URL: original,
    SWITCHBOARD_ALLOW_DEV: '1',
    SWITCHBOARD_DATA_DIR: path.join(folder, 'data'),
    SWITCHBOARD_MASTER_KEYS: `m1:${Buffer.alloc(32, 7).toString('base64')}`,
    LOG_LEVEL: 'silent',
  };
  await expectSuccess(env, 'workspaces', 'create', 'killed');
  await fill(original);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fill = (url: string) =>
  queryRows(
    url,
    `INSERT INTO events (id, workspace_id, type, data)
     SELECT 'evt_' || n, id, 'connection.connected', jsonb_build_object('text', md5(n::text) || md5((n + 1)::text))
     FROM (SELECT id FROM workspaces LIMIT 1) AS w, generate_series(1, ${ROWS}) AS n`,
  );

const start = (its: Env, ...args: string[]): Program => startProgram(programs.cli, its, args);
async function expectSuccess(its: Env, ...args: string[]): Promise<Program> {
  const command = start(its, ...args);
  const { code } = await command.exited;
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${command.output()}`);
  return command;
}
/** Kills the command at the nth of several moments of its duration; false when it was faster. */
async function killAt(nth: number, durationMs: number, its: Env, ...args: string[]): Promise<boolean> {
  const command = start(its, ...args);
  const wait = new AbortController();
  void command.exited.then(() => wait.abort());
  await sleep((durationMs * (nth + 1)) / (KILLS + 1), undefined, { signal: wait.signal }).catch(
    () => undefined,
  );
  command.kill('SIGKILL');
  return (await command.exited).signal === 'SIGKILL';
}
async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedMs = Date.now();
  await work();
  return Date.now() - startedMs;
}
/** Events, or null in a database without tables. A transaction of a killed command ends when its connection does. */
async function countEvents(url: string): Promise<number | null> {
  const [table] = await queryRows<{ exists: boolean }>(
    url,
    `SELECT to_regclass('events') IS NOT NULL AS exists`,
  );
  if (!table?.exists) return null;
  const [counted] = await queryRows<{ count: number }>(url, 'SELECT count(*)::int AS count FROM events');
  return counted?.count ?? 0;
}

async function pauseCause(url: string): Promise<string | null> {
  const [row] = await queryRows<{ cause: string | null }>(
    url,
    `SELECT pause ->> 'cause' AS cause FROM installation`,
  );
  return row?.cause ?? null;
}

test('a backup that is killed at any moment leaves no file under its name, and the next one is complete', async () => {
  const durationMs = await measure(() => expectSuccess(env, 'backup', path.join(folder, 'measured')));
  let killed = 0;
  for (let nth = 0; nth < KILLS; nth += 1) {
    const name = `killed-${nth}`;
    if (await killAt(nth, durationMs, env, 'backup', path.join(folder, name))) {
      killed += 1;
      expect(await readdir(folder)).not.toContain(name);
    }
    await expectSuccess(env, 'backup', path.join(folder, name));
    await expectSuccess(env, 'restore', path.join(folder, name), '--check');
  }
  process.stderr.write(`${JSON.stringify({ backup_killed: killed, duration_ms: durationMs })}\n`);
  expect(killed).toBeGreaterThan(KILLS / 2);
});

test('a restore that is killed at any moment leaves the database empty or complete and paused, and can be repeated', async () => {
  const file = path.join(folder, 'to-restore');
  await expectSuccess(env, 'backup', file);
  const at = (url: string): Env => ({ ...env, DATABASE_URL: url });
  const measured = await emptyTestDatabase('killed_measured');
  const durationMs = await measure(() => expectSuccess(at(measured), 'restore', file));
  let killed = 0;
  for (let nth = 0; nth < KILLS; nth += 1) {
    const url = await emptyTestDatabase(`killed_restore_${nth}`);
    if (await killAt(nth, durationMs, at(url), 'restore', file)) killed += 1;
    if ((await countEvents(url)) === null) await expectSuccess(at(url), 'restore', file);
    expect(await countEvents(url)).toBe(await countEvents(original));
    expect(await pauseCause(url)).toBe('restored_backup');
  }
  process.stderr.write(`${JSON.stringify({ restore_killed: killed, duration_ms: durationMs })}\n`);
  expect(killed).toBeGreaterThan(KILLS / 2);
});

test('a move that is killed or loses its target at any moment never leaves two databases that send, and can be repeated', async () => {
  const dataDir = path.join(folder, 'embedded');
  const embedded: Env = { ...env, DATABASE_URL: '', SWITCHBOARD_DATA_DIR: dataDir };
  await expectSuccess(embedded, 'workspaces', 'create', 'moving');
  /** `status` starts no embedded database. */
  const embeddedCause = async () => {
    const lease = await leaseServer({ stateDir: dataDir });
    try {
      return await pauseCause(lease.url);
    } finally {
      await lease.release();
    }
  };
  const to = (url: string): Env => ({ ...env, DATABASE_URL: url, SWITCHBOARD_DATA_DIR: dataDir });
  let killed = 0;
  let durationMs = await measure(async () => {
    const measured = await emptyTestDatabase('killed_moved');
    await expectSuccess(to(measured), 'database', 'move');
  });
  for (let nth = 0; nth < KILLS; nth += 1) {
    await expectSuccess(embedded, 'resume', '--force');
    const url = await emptyTestDatabase(`killed_move_${nth}`);
    if (await killAt(nth, durationMs, to(url), 'database', 'move')) killed += 1;
    const isMoved = (await countEvents(url)) !== null;
    if (isMoved) expect([await embeddedCause(), await pauseCause(url)]).toEqual(['moved_away', 'moved']);
    else {
      durationMs = await measure(() => expectSuccess(to(url), 'database', 'move'));
      expect([await embeddedCause(), await pauseCause(url)]).toEqual(['moved_away', 'moved']);
    }
  }
  // Between the commit of the source and that of the target.
  await expectSuccess(embedded, 'resume', '--force');
  const url = await emptyTestDatabase('killed_move_commit');
  const proxy = await startCommitProxy(url);
  try {
    proxy.cutAt(1, 'before the server commits');
    const cut = start(to(proxy.url), 'database', 'move');
    expect((await cut.exited).code).not.toBe(0);
    expect(await countEvents(url)).toBeNull();
    expect(await embeddedCause()).toBe('moved_away');
    proxy.cutAt(null);
    await expectSuccess(to(proxy.url), 'database', 'move');
    // The target of the first move may have sent what is due: the copy counts as a backup.
    expect([await embeddedCause(), await pauseCause(url)]).toEqual(['moved_away', 'restored_backup']);
  } finally {
    await proxy.close();
    await expectSuccess(embedded, 'stop');
  }
  process.stderr.write(`${JSON.stringify({ move_killed: killed, duration_ms: durationMs })}\n`);
  expect(killed).toBeGreaterThan(KILLS / 2);
});
