import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import { withClient } from '@switchboard/persistence/migrate';
import { emptyTestDatabase, testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Env, type Installation } from './testing/installation.js';

const KEY = `m1:${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_KEY = `m1:${Buffer.alloc(32, 8).toString('base64')}`;
const SECOND_KEY = `m2:${Buffer.alloc(32, 9).toString('base64')}`;
/** What COPY, JSON and the framing must keep apart. */
const TEXT = 'tab\tline\nfeed\r\\N \\. "quote" \u{1f680} ä \u0001 end';

interface Created {
  readonly rows: number;
  readonly bytes: number;
  readonly taken_at: string;
}

let installation: Installation;
let original: string;
let file: string;
let created: Created;

const run = (database: string, env: Env, ...args: string[]) =>
  installation.runWith({ DATABASE_URL: database, ...env }, ...args);

beforeAll(async () => {
  original = await testDatabase('cli_backup');
  installation = await createInstallation({ DATABASE_URL: original, SWITCHBOARD_MASTER_KEYS: KEY });
  file = path.join(installation.dataDir, 'backup');
  const service = await startService({
    app: 'cli',
    logTo: 'stderr',
    env: { ...installation.env, LOG_LEVEL: 'silent' },
  });
  await service.ports.transactions.run(async (tx) => {
    await tx.jobs.enqueue({
      name: 'revoke_grant',
      workspaceId: 'wsp_1',
      connectionId: 'con_1',
      sealed: Uint8Array.of(0, 255, 10, 13),
    } as unknown as Parameters<typeof tx.jobs.enqueue>[0]);
    return { ok: true, value: undefined };
  });
  await service.close();
  await withClient(original, async (client) => {
    const values = [TEXT, JSON.stringify({ text: TEXT })];
    await client.query(
      `UPDATE workspaces SET display_name = $1, return_urls = ARRAY[$1, '', 'NULL', '\\N']`,
      values.slice(0, 1),
    );
    await client.query(
      `INSERT INTO events (id, workspace_id, type, data)
       SELECT 'evt_' || n, id, 'connection.connected', $1::jsonb FROM workspaces, generate_series(1, 500) AS n`,
      values.slice(1),
    );
    await client.query(
      `INSERT INTO audit_rows (id, workspace_id, actor, action, outcome, request_id, details)
       SELECT 'aud_' || n, id, $1, 'test', 'ok', 'req', $2::jsonb FROM workspaces, generate_series(1, 500) AS n`,
      values,
    );
  });
  const { code, stdout, stderr } = await installation.run('backup', file, '--json');
  expect([code, stderr.split('\n').at(-2)]).toEqual([
    0,
    expect.stringMatching(/^Rows written to the backup: (\d+) of \1$/),
  ]);
  created = JSON.parse(stdout) as Created;
});
afterAll(() => installation.remove());

/** A digest of every table's rows and of the jobs, without what describes processes, or the installation itself. */
const digestOf = (url: string) =>
  withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
         AND relname NOT IN ('installation', 'key_holders', 'rate_limits', 'waiting_slots') ORDER BY 1`,
    );
    const digests: Record<string, unknown> = {};
    for (const { name } of tables) {
      const { rows } = await client.query(
        `SELECT count(*)::int, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM "${name}" t`,
      );
      digests[name] = rows[0];
    }
    const { rows: jobs } = await client.query(
      `SELECT name, data FROM pgboss.job WHERE state < 'completed' ORDER BY 1, 2::text`,
    );
    return { ...digests, jobs };
  });

/** Whether the database is as empty as before. */
const isEmpty = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace OR relnamespace::regnamespace::text = 'pgboss'`,
    );
    return rows.length === 0;
  });

test('a backup is a private file, complete or absent, in which no byte of a row can be read', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(installation.dataDir)).filter((name) => name.includes('partial'))).toEqual([]);
  const bytes = await readFile(file);
  expect(bytes.length).toBe(created.bytes);
  for (const secret of ['feed', 'connection.connected', 'default', 'revoke_grant', KEY.slice(3)])
    expect(bytes.includes(secret)).toBe(false);
  expect(
    (await run(original, {}, 'backup', path.join(installation.dataDir, 'no/such/folder'))).stderr,
  ).toMatch(/^switchboard: The backup cannot be written: ENOENT/);
});

test('a restored database has every row, job and constraint of the original, and continues its sequences', async () => {
  const target = await emptyTestDatabase('cli_restored');
  const checked = await run(target, {}, 'restore', file, '--check', '--json');
  expect(JSON.parse(checked.stdout)).toMatchObject({ restored: false, rows: created.rows });
  expect(await isEmpty(target)).toBe(true);
  const { code, stdout } = await run(target, {}, 'restore', file, '--json');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      restored: true,
      rows: created.rows,
      taken_at: created.taken_at,
      migrated: [],
      missing_media: [],
    }),
  ]);
  expect(await digestOf(target)).toEqual(await digestOf(original));
  await withClient(target, async (client) => {
    const { rows } = await client.query<{ seq: string; last: string }>(
      `WITH inserted AS (INSERT INTO events (id, workspace_id, type, data) SELECT 'next', id, 't', '{}' FROM workspaces RETURNING seq)
       SELECT inserted.seq, (SELECT max(seq) FROM events) AS last FROM inserted`,
    );
    expect(BigInt(rows[0]?.seq ?? 0)).toBeGreaterThan(BigInt(rows[0]?.last ?? 0));
    const invalid = await client.query(
      `SELECT conname FROM pg_constraint WHERE NOT convalidated UNION ALL SELECT tgname FROM pg_trigger WHERE tgenabled <> 'O'`,
    );
    expect(invalid.rows).toEqual([]);
  });
  // The same keys open it: the canary, and the hashes of API keys.
  expect((await run(target, {}, 'vault', 'status')).code).toBe(0);
  expect((await run(target, { SWITCHBOARD_MASTER_KEYS: OTHER_KEY }, 'vault', 'status')).code).toBe(1);
  // A second restore finds it in use.
  expect(await run(target, {}, 'restore', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The database is not empty: it has'),
  });
});

test('a backup of before the newest master key is restored where its key is still listed', async () => {
  const target = await emptyTestDatabase('cli_two_keys');
  const env = { SWITCHBOARD_MASTER_KEYS: `${SECOND_KEY},${KEY}` };
  expect((await run(target, env, 'restore', file)).code).toBe(0);
});

describe('before anything is written, restore rejects', () => {
  let target: string;
  beforeAll(async () => {
    target = await emptyTestDatabase('cli_rejected');
  });
  const rejects = async (name: string, env: Env, message: RegExp) => {
    const { code, stderr, stdout } = await run(target, env, 'restore', name);
    const last = stderr.trim().split('\n').at(-1);
    expect({ code, stdout, last }).toEqual({ code: 1, stdout: '', last: expect.stringMatching(message) });
    expect(await isEmpty(target)).toBe(true);
  };

  test('another master key, a missing one, and none', async () => {
    await rejects(file, { SWITCHBOARD_MASTER_KEYS: OTHER_KEY }, /"m1" of this installation is another one/);
    await rejects(file, { SWITCHBOARD_MASTER_KEYS: SECOND_KEY }, /sealed with the master key "m1", which/);
    const elsewhere = path.join(installation.dataDir, 'elsewhere');
    await rejects(
      file,
      { SWITCHBOARD_MASTER_KEYS: '', SWITCHBOARD_DATA_DIR: elsewhere },
      /There is no master key/,
    );
    expect(await readdir(elsewhere).catch(() => [])).not.toContain('master-key');
  });

  test('a file that is no backup', async () => {
    const other = path.join(installation.dataDir, 'other');
    await writeFile(other, 'hello');
    await rejects(other, {}, /is not a backup of Switchboard/);
    await writeFile(other, '');
    await rejects(other, {}, /is not a backup of Switchboard/);
    await rejects(path.join(installation.dataDir, 'missing'), {}, /The backup cannot be read: ENOENT/);
  });

  test('a file with a changed, missing or added byte anywhere', async () => {
    const bytes = await readFile(file);
    const damaged = path.join(installation.dataDir, 'damaged');
    const positions = [0, 8, 11, 20, 200, bytes.length - 1];
    for (let at = 250; at < bytes.length; at += Math.ceil(bytes.length / 20)) positions.push(at);
    for (const at of positions) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x40;
      await writeFile(damaged, changed);
      await rejects(
        damaged,
        {},
        /The backup is damaged|is not a backup|cannot be opened|which this|does not know/,
      );
      await writeFile(damaged, bytes.subarray(0, at));
      await rejects(damaged, {}, /The backup is damaged|is not a backup/);
    }
    await writeFile(damaged, Buffer.concat([bytes, Buffer.from('x')]));
    await rejects(damaged, {}, /The backup is damaged/);
  });

  test('a format of a newer version', async () => {
    const bytes = await readFile(file);
    const newer = path.join(installation.dataDir, 'newer');
    await copyFile(file, newer);
    const at = bytes.indexOf('"format":1');
    bytes.write('"format":9', at);
    await writeFile(newer, bytes);
    await rejects(newer, {}, /made by Switchboard .*, whose format this version does not know/);
  });

  test('a schema that this version does not know, or knows otherwise', async () => {
    const source = await testDatabase('cli_newer_schema');
    expect((await run(source, {}, 'vault', 'status')).code).toBe(0);
    const other = path.join(installation.dataDir, 'newer-schema');
    const change = (sql: string) => withClient(source, (client) => client.query(sql));
    await change(`UPDATE _prisma_migrations SET checksum = 'x' WHERE migration_name LIKE '%initial'`);
    expect((await run(source, {}, 'backup', other)).code).toBe(0);
    await rejects(other, {}, /The migration 20260101000000_initial of the backup differs/);
    await change(
      `UPDATE _prisma_migrations SET migration_name = '29990101000000_later' WHERE migration_name LIKE '%initial'`,
    );
    expect((await run(source, {}, 'backup', other)).code).toBe(0);
    await rejects(
      other,
      {},
      /made by a newer version: this one does not know the migration 29990101000000_later/,
    );
  });
});

test('a database is moved out of the embedded one and back, unless it is in use, and what was left is paused', async () => {
  const first = path.join(installation.dataDir, 'first');
  // An empty variable counts as unset.
  const embedded = { DATABASE_URL: '', SWITCHBOARD_DATA_DIR: first };
  const runEmbedded = (env: Env, ...args: string[]) => installation.runWith(env, ...args);
  expect((await runEmbedded(embedded, 'workspaces', 'create', 'moving')).code).toBe(0);
  const external = await emptyTestDatabase('cli_moved');
  const move = (env: Env, ...args: string[]) =>
    runEmbedded({ DATABASE_URL: external, SWITCHBOARD_DATA_DIR: first, ...env }, 'database', 'move', ...args);

  const worker = installation.startCommand(['worker'], { ...embedded, LOG_LEVEL: 'silent' });
  await worker.waitForOutput(/The worker is ready/);
  expect(await move({})).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Stop every process .*: worker/),
  });
  expect(await isEmpty(external)).toBe(true);
  worker.kill('SIGTERM');
  await worker.exited;

  expect(await move({})).toMatchObject({ code: 0, stdout: expect.stringContaining('Both are paused') });
  const status = async (env: Env) =>
    JSON.parse((await runEmbedded(env, 'status', '--json')).stdout) as object;
  const moved = { DATABASE_URL: external, SWITCHBOARD_DATA_DIR: first };
  expect(await status(moved)).toMatchObject({
    pause: { cause: 'moved', reason: expect.stringContaining('Moved here') },
  });
  expect(await runEmbedded(embedded, 'resume')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Both would send the same posts'),
  });
  const left = await runEmbedded(embedded, 'resume', '--force', '--json');
  expect(JSON.parse(left.stdout)).toMatchObject({
    ended: { cause: 'moved_away', reason: expect.stringMatching(/^Moved to 127/) },
  });
  expect(await move({})).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The database is not empty'),
  });
  expect((await runEmbedded(moved, 'workspaces', 'create', 'added')).code).toBe(0);

  const second = path.join(installation.dataDir, 'second');
  expect((await move({ SWITCHBOARD_DATA_DIR: second }, '--to-embedded')).code).toBe(0);
  const back = { DATABASE_URL: '', SWITCHBOARD_DATA_DIR: second };
  const listed = await runEmbedded(back, 'workspaces', 'list', '--json');
  expect(listed.stdout).toContain('added');
  for (const env of [embedded, back]) await runEmbedded(env, 'stop');
}, 300_000);

test('a backup with another master key than that of the database is refused', async () => {
  const other = path.join(installation.dataDir, 'wrong-key');
  expect(await run(original, { SWITCHBOARD_MASTER_KEYS: OTHER_KEY }, 'backup', other)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The master key does not open this database'),
  });
  expect(await readdir(installation.dataDir)).not.toContain('wrong-key');
});
