import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { testDatabase } from '../testing.js';
import { databaseUrl, withClient } from './database.js';
import { findDrift, readIntendedSchema } from './find-drift.js';
import { ADVISORY_LOCK, migrate } from './migrate.js';
import { getMigrationState, listPendingMigrations, isSchemaCurrent } from './get-migration-state.js';
import { createMigration } from './create-migration.js';
import { readMigrations } from './read-migrations.js';

const realPrismaDir = path.resolve(import.meta.dirname, '../../../../prisma');
const first = 'CREATE TABLE "one" ("id" INTEGER NOT NULL);\n';
const second = 'CREATE TABLE "two" ("id" INTEGER NOT NULL);\n';
const schema = (...models: string[]) => `datasource db {\n  provider = "postgresql"\n}\n${models.join('\n')}`;
const model = (name: string, fields: string) => `model ${name} {\n  id Int @id\n${fields}\n}\n`;

let prismaDir: string;
let url: string;
const put = async (name: string, sql: string) => {
  await mkdir(path.join(prismaDir, 'migrations', name), { recursive: true });
  await writeFile(path.join(prismaDir, 'migrations', name, 'migration.sql'), sql);
};

beforeEach(async () => {
  prismaDir = await mkdtemp(path.join(os.tmpdir(), 'switchboard-prisma-'));
  await writeFile(path.join(prismaDir, 'schema.prisma'), schema());
  await put('1_first', first);
  const main = await testDatabase('migrate');
  const empty = `${new URL(main).pathname.slice(1)}_empty`;
  url = databaseUrl(main, empty);
  await withClient(main, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS "${empty}" WITH (FORCE)`);
    await client.query(`CREATE DATABASE "${empty}" TEMPLATE template0`);
  });
});
afterEach(() => rm(prismaDir, { recursive: true, force: true }));

test('missing migrations are applied once, in order', async () => {
  await put('2_second', second);
  const clean = { pending: [], changed: [], failed: [], unknown: [] };
  expect(await migrate(url, prismaDir)).toEqual({ applied: ['1_first', '2_second'], state: clean });
  expect(await migrate(url, prismaDir)).toEqual({ applied: [], state: clean });
  await put('3_third', 'ALTER TABLE "one" ADD COLUMN "more" TEXT;\n');
  expect((await migrate(url, prismaDir)).applied).toEqual(['3_third']);
});

test('concurrent runs apply each migration once', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(url, prismaDir)));
  expect(results.flatMap(({ applied }) => applied)).toEqual(['1_first']);
  expect(results.every(({ state }) => state.pending.length === 0)).toBe(true);
});

test.each(['auto', 'check'] as const)(
  'a migration that another process is applying is waited for, and not failed (%s)',
  async (mode) => {
    await put('2_second', second);
    await migrate(url, prismaDir);
    await withClient(url, async (other) => {
      await other.query('SELECT pg_advisory_lock($1)::text', [ADVISORY_LOCK]);
      await other.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_second'`);
      const result = migrate(url, prismaDir, mode);
      await withClient(url, async (observer) => {
        const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${ADVISORY_LOCK}
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        while ((await observer.query(waiting)).rowCount === 0) await sleep(20);
      });
      await other.query(`UPDATE _prisma_migrations SET finished_at = now()`);
      await other.query('SELECT pg_advisory_unlock($1)::text', [ADVISORY_LOCK]);
      expect(await result).toMatchObject({ applied: [], state: { pending: [], failed: [] } });
    });
  },
);

test('the check mode lists pending migrations and changes nothing', async () => {
  expect(await migrate(url, prismaDir, 'check')).toMatchObject({
    applied: [],
    state: { pending: ['1_first'] },
  });
  const { rows } = await withClient(url, (client) =>
    client.query(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
  );
  expect(rows).toEqual([]);
  expect(await listPendingMigrations(url, prismaDir)).toEqual(['1_first']);
});

test('a migration whose file changed after it was applied is reported, and no further one is applied', async () => {
  await migrate(url, prismaDir);
  await put('1_first', `${first}-- edited\n`);
  await put('2_second', second);
  expect(await migrate(url, prismaDir)).toMatchObject({
    applied: [],
    state: { changed: ['1_first'], pending: ['2_second'] },
  });
});

test("a failing migration reports PostgreSQL's message, and stops every further one", async () => {
  await put('2_second', 'CREATE TABLE "one" ("id" INTEGER);\n');
  await expect(migrate(url, prismaDir)).rejects.toThrow(/already exists/);
  await put('2_second', second);
  expect(await migrate(url, prismaDir)).toMatchObject({ applied: [], state: { failed: ['2_second'] } });
});

test('an older program can serve a database of a newer one, and not the other way round', async () => {
  await put('2_second', second);
  const newer = await readMigrations(prismaDir);
  await rm(path.join(prismaDir, 'migrations/2_second'), { recursive: true });
  const older = await readMigrations(prismaDir);
  await migrate(url, prismaDir);
  await withClient(url, async (client) => {
    expect(await isSchemaCurrent(client, older)).toBe(true);
    expect(await isSchemaCurrent(client, newer)).toBe(false);
  });
  await put('2_second', second);
  await migrate(url, prismaDir);
  await withClient(url, async (client) => {
    expect(await isSchemaCurrent(client, older)).toBe(true);
    expect((await getMigrationState(client, older)).unknown).toEqual(['2_second']);
  });
});

test('a new migration leads from the last one to the schema, and the next one is empty', async () => {
  await rm(path.join(prismaDir, 'migrations'), { recursive: true });
  const write = (text: string) => writeFile(path.join(prismaDir, 'schema.prisma'), text);
  const at = new Date('2026-02-03T04:05:06Z');
  await write(schema(model('note', '  text String')));
  expect(await createMigration(url, prismaDir, 'notes', at)).toBe(
    path.join(prismaDir, 'migrations/20260203040506_notes/migration.sql'),
  );
  await write(schema(model('note', '  text String\n  title String?')));
  const file = await createMigration(url, prismaDir, 'titles', new Date('2026-02-03T04:05:07Z'));
  expect(await readFile(file ?? '', 'utf8')).toContain('ALTER TABLE "note" ADD COLUMN     "title" TEXT;');
  expect(await createMigration(url, prismaDir, 'nothing', at)).toBeNull();
  expect((await migrate(url, prismaDir)).applied).toHaveLength(2);
  expect(await findDrift(url, await readIntendedSchema(prismaDir))).toEqual([]);
});

test.each([
  ['a column', (text: string) => text.replace('text String', 'text String?'), '- column note.text text'],
  ['an index', (text: string) => text.replace('}\n', '  @@index([text])\n}\n'), '- index CREATE INDEX'],
])('drift of %s between schema and migrations is detected', async (_what, change, line) => {
  const intended = { schema: schema(model('note', '  text String')), beyond: '' };
  await withClient(url, (client) =>
    client.query(
      'CREATE TABLE note (id INTEGER NOT NULL, text TEXT NOT NULL, CONSTRAINT note_pkey PRIMARY KEY (id))',
    ),
  );
  expect(await findDrift(url, intended)).toEqual([]);
  const changed = schema(change(model('note', '  text String')));
  const lines = await findDrift(url, { ...intended, schema: changed });
  expect(lines.join('\n')).toContain(line);
});

test('drift of a constraint, a partial index, a function and a trigger beyond the schema is detected', async () => {
  const beyond = `
    ALTER TABLE note ADD CONSTRAINT note_text_check CHECK (text <> '');
    CREATE UNIQUE INDEX note_empty_key ON note (text) WHERE id > 0;
    CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    CREATE TRIGGER note_keep BEFORE UPDATE ON note FOR EACH ROW EXECUTE FUNCTION keep();`;
  const intended = { schema: schema(model('note', '  text String')), beyond };
  await withClient(url, (client) =>
    client.query(
      'CREATE TABLE note (id INTEGER NOT NULL, text TEXT NOT NULL, CONSTRAINT note_pkey PRIMARY KEY (id))',
    ),
  );
  const lines = await findDrift(url, intended);
  expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    '- constraint',
    '- function',
    '- index',
    '- trigger',
  ]);
  await withClient(url, (client) => client.query(beyond));
  expect(await findDrift(url, intended)).toEqual([]);
});

test('the migrations of this repository lead to schema.prisma and beyond-schema.sql', async () => {
  const migrated = await testDatabase();
  expect(await findDrift(migrated, await readIntendedSchema(realPrismaDir))).toEqual([]);
});

test('the last migration was written with `pnpm migration:new`, which recorded the schema it leads to', async () => {
  const recorded = await readFile(path.join(realPrismaDir, 'migrations/schema.prisma'), 'utf8');
  expect(recorded).toBe(await readFile(path.join(realPrismaDir, 'schema.prisma'), 'utf8'));
});

test('a run of all migrations leaves no timer that keeps the process alive', async () => {
  const copy = path.join(prismaDir, 'copy');
  await cp(realPrismaDir, copy, { recursive: true });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  expect((await migrate(url, copy)).state.pending).toEqual([]);
  // Connections of earlier tests may still be closing; a leaked timer exists for much longer.
  for (let looks = 0; looks < 30 && timers() > before; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(timers()).toBeLessThanOrEqual(before);
});
