import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma, PrismaClient } from './generated/client.js';
import { openDatabase, prismaRepositories, type Database } from './index.js';
import { withRawStatements } from './raw-statements.js';
import { testDatabase } from './testing.js';

let url: string;
let database: Database;
let prismaAlone: PrismaClient;
beforeAll(async () => {
  url = await testDatabase('raw_statements');
  database = openDatabase(url, { max: 4 });
  prismaAlone = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, options: '-c TimeZone=UTC' }),
  });
  await database.prisma.$executeRaw`CREATE TABLE notes (text text PRIMARY KEY)`;
});
afterAll(async () => {
  await database.close();
  await prismaAlone.$disconnect();
});

const time = new Date('2026-11-26T23:57:22.498Z');

test.each([
  ['int4', Prisma.sql`SELECT ${7}::int AS value`],
  ['int8', Prisma.sql`SELECT ${9_007_199_254_740_993n}::int8 AS value`],
  ['float8', Prisma.sql`SELECT ${1.5}::float8 AS value`],
  ['numeric', Prisma.sql`SELECT ${'12.340'}::numeric AS value`],
  ['bool', Prisma.sql`SELECT ${true}::bool AS value`],
  ['text', Prisma.sql`SELECT ${'a "quoted", {braced} \\ text'}::text AS value`],
  ['timestamptz', Prisma.sql`SELECT ${time}::timestamptz AS value`],
  ['timestamptz without milliseconds', Prisma.sql`SELECT '2026-01-02T03:04:05Z'::timestamptz AS value`],
  ['timestamp', Prisma.sql`SELECT ${time}::timestamp AS value`],
  ['date', Prisma.sql`SELECT ${time}::date AS value`],
  ['jsonb', Prisma.sql`SELECT ${JSON.stringify({ a: [1, null] })}::jsonb AS value`],
  ['jsonb of an object', Prisma.sql`SELECT ${{ a: [1, null] }}::jsonb AS value`],
  ['null', Prisma.sql`SELECT ${null}::text AS value`],
  ['text[]', Prisma.sql`SELECT ${['a', 'b "c"', 'd,e', '{f}', '\\']}::text[] AS value`],
  ['text[] of plain words', Prisma.sql`SELECT ${['transition:generic', 'a_b', 'c.d-9']}::text[] AS value`],
  [
    'text[] with nulls and empty elements',
    Prisma.sql`SELECT ARRAY['a', NULL, '', 'NULL', 'null', 'Ä'] AS value`,
  ],
  ['text[] of one empty element', Prisma.sql`SELECT ARRAY[''] AS value`],
  ['empty text[]', Prisma.sql`SELECT ${[]}::text[] AS value`],
  ['int4[]', Prisma.sql`SELECT ${[1, -2]}::int[] AS value`],
  ['int8[]', Prisma.sql`SELECT ${[1n, 2n]}::int8[] AS value`],
  ['empty int8[]', Prisma.sql`SELECT '{}'::int8[] AS value`],
  ['timestamptz[]', Prisma.sql`SELECT ${[time]}::timestamptz[] AS value`],
  ['uuid', Prisma.sql`SELECT '0b0e7c4e-6f0c-4d2c-9f0e-0a8f4d2f9d3a'::uuid AS value`],
  ['oid', Prisma.sql`SELECT 26::oid AS value`],
  ['no column', Prisma.sql`SELECT FROM generate_series(1, ${2}::int)`],
])('a statement returns what Prisma returns: %s', async (_, sql) => {
  const expected = await prismaAlone.$queryRaw(sql);
  expect(await database.prisma.$queryRaw(sql)).toEqual(expected);
  expect(await database.prisma.$queryRawUnsafe(sql.text, ...sql.values)).toEqual(expected);
  expect(await database.prisma.$transaction((client) => client.$queryRaw(sql))).toEqual(expected);
});

test('bytes are returned as they were sent', async () => {
  const bytes = new Uint8Array([0, 1, 255, 92]);
  const [row] = await database.prisma.$queryRaw<{ value: Uint8Array }[]>`SELECT ${bytes}::bytea AS value`;
  expect(new Uint8Array(row?.value ?? [])).toEqual(bytes);
});

test('a statement returns the number of rows that it changed', async () => {
  const { prisma } = database;
  expect(await prisma.$executeRaw`INSERT INTO notes VALUES ('one'), ('two')`).toBe(2);
  expect(await prisma.$executeRawUnsafe('DELETE FROM notes WHERE text = $1', 'one')).toBe(1);
  expect(await prisma.$executeRaw`DELETE FROM notes`).toBe(1);
});

const listNotes = () => database.prisma.$queryRaw`SELECT text FROM notes ORDER BY text`;

test('statements of a transaction are rolled back with it, those of the models included', async () => {
  const work = database.prisma.$transaction(async (client) => {
    await client.$executeRaw`INSERT INTO notes VALUES ('raw')`;
    await client.canary.createMany({ data: { id: 1, sealed: new Uint8Array([1]) } });
    expect(await client.$queryRaw`SELECT count(*)::int AS count FROM canaries`).toEqual([{ count: 1 }]);
    expect(await listNotes()).toEqual([]);
    throw new Error('changed its mind');
  });
  await expect(work).rejects.toThrow('changed its mind');
  expect(await listNotes()).toEqual([]);
  expect(await database.prisma.canary.count()).toBe(0);
});

test('a transaction inside the work of another one has a connection of its own', async () => {
  const { prisma } = database;
  await prisma.$transaction(async (outer) => {
    await outer.$executeRaw`INSERT INTO notes VALUES ('outer')`;
    await prisma.$transaction(async (inner) => {
      expect(await inner.$queryRaw`SELECT text FROM notes`).toEqual([]);
      await inner.$executeRaw`INSERT INTO notes VALUES ('inner')`;
    });
    expect(await outer.$queryRaw`SELECT text FROM notes ORDER BY text`).toEqual([
      { text: 'inner' },
      { text: 'outer' },
    ]);
  });
  expect(await prisma.$executeRaw`DELETE FROM notes`).toBe(2);
});

test('what work sends after its transaction exceeded the timeout is rejected and changes nothing', async () => {
  const late = Promise.withResolvers<unknown>();
  const work = database.prisma.$transaction(
    async (client) => {
      await client.$executeRaw`INSERT INTO notes VALUES ('in time')`;
      await sleep(300);
      const statement = client.$executeRaw`INSERT INTO notes VALUES ('late')`;
      late.resolve(await statement.catch((error: unknown) => error));
    },
    { timeout: 100 },
  );
  await expect(work).rejects.toMatchObject({ code: 'P2028' });
  expect(await late.promise).toMatchObject({ code: 'P2028' });
  expect(await listNotes()).toEqual([]);
  // The connection is used again without what the transaction had attached to it.
  await database.prisma.$transaction((client) => client.$executeRaw`INSERT INTO notes VALUES ('next')`);
  expect(await database.prisma.$executeRaw`DELETE FROM notes`).toBe(1);
});

test('Prisma opens with the first use of a model or a transaction, and not for raw statements', async () => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  let opened = 0;
  const openClient = () => {
    opened += 1;
    return new PrismaClient({ adapter: new PrismaPg(pool) });
  };
  const prisma = withRawStatements(openClient, pool, () => '');
  const tables = prismaRepositories(prisma);
  expect(await tables.workspaces.list()).toEqual([]);
  await prisma.$executeRawUnsafe('SELECT 1');
  await prisma.$disconnect();
  expect(opened).toBe(0);
  expect(await prisma.workspace.count()).toBe(0);
  await prisma.$transaction((client) => client.workspace.count());
  expect(opened).toBe(1);
  await prisma.$disconnect();
  await pool.end();
});

test('an error carries its SQLSTATE, and its transaction is rolled back', async () => {
  const work = database.prisma.$transaction(async (client) => {
    await client.$executeRaw`INSERT INTO notes VALUES ('twice')`;
    await client.$executeRaw`INSERT INTO notes VALUES ('twice')`;
  });
  await expect(work).rejects.toMatchObject({ code: '23505', constraint: 'notes_pkey' });
  expect(await listNotes()).toEqual([]);
});
