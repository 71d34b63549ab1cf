import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ok, type WorkspaceId } from '@switchboard/domain';
import type { QueryingCaller } from '@switchboard/domain/ports';
import pg from 'pg';
import { callerQueries } from './caller-scope.js';
import { openDatabase, type Database } from './open-database.js';
import { prismaTransactions } from './prisma-transactions.js';
import { testDatabase } from './testing.js';

const CALLER_MS = 1500;
let url: string;
let database: Database;
let observer: pg.Client;
beforeAll(async () => {
  url = await testDatabase('caller_pool');
  database = openDatabase(url, { max: 10, timeouts: { callerMs: CALLER_MS, backgroundMs: 60_000 } });
  observer = new pg.Client({ connectionString: url });
  await observer.connect();
});
afterAll(async () => {
  await observer?.end();
  await database?.close();
});

const as = <Value>(workspace: string, work: () => Promise<Value>, signal: AbortSignal | null = null) =>
  callerQueries.run({ workspaceId: workspace as WorkspaceId, signal } satisfies QueryingCaller, work);
const sleeping = async () => {
  const { rows } = await observer.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'`,
  );
  return rows[0]?.count ?? NaN;
};
const reach = async (count: number, withinMs = 2000) => {
  const untilMs = performance.now() + withinMs;
  while ((await sleeping()) !== count && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(await sleeping()).toBe(count);
};
const tookMs = async (work: () => Promise<unknown>) => {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (JSON.stringify(error).includes('57014') ? 'canceled' : String(error)),
  );
afterEach(() => reach(0, 5000));

/** One slow statement, sent in each of the supported ways. */
const ways: readonly (readonly [string, (seconds: number) => Promise<unknown>])[] = [
  ['raw SQL', (seconds) => database.query('SELECT pg_sleep($1)::text', [seconds])],
  ['a Prisma query', (seconds) => database.prisma.$queryRaw`SELECT pg_sleep(${seconds})::text`],
  [
    'a transaction',
    (seconds) => database.prisma.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(${seconds})::text`),
  ],
];

describe.each(ways)('finding 80, %s:', (_way, slow) => {
  test('ten slow statements of a workspace hold four connections, and other workspaces do not wait for them', async () => {
    const all = Array.from({ length: 10 }, () => codeOf(as('slow', () => slow(1))));
    await reach(4);
    expect(await tookMs(() => as('quick', () => database.query('SELECT 1', [])))).toBeLessThan(300);
    expect(await tookMs(() => database.query('SELECT 1', []))).toBeLessThan(300);
    await reach(4);
    expect((await Promise.all(all)).filter((code) => code === 'ok').length).toBeGreaterThanOrEqual(4);
  });

  test('ends at the timeout for callers', async () => {
    const beganMs = performance.now();
    expect(await codeOf(as('slow', () => slow(30), new AbortController().signal))).toBe('canceled');
    const ms = performance.now() - beganMs;
    expect(ms).toBeGreaterThan(CALLER_MS - 50);
    expect(ms).toBeLessThan(CALLER_MS + 1000);
  });

  test('does not end at that timeout without a caller', async () => {
    expect(await codeOf(slow(CALLER_MS / 1000 + 0.5))).toBe('ok');
  });

  test('is cancelled within a second after its caller disconnects, and the next one is not', async () => {
    const gone = new AbortController();
    const cut = codeOf(as('slow', () => slow(30), gone.signal));
    await reach(1);
    gone.abort();
    await reach(0, 1000);
    expect(await cut).toBe('canceled');
    for (let n = 0; n < 10; n++) expect(await codeOf(as('slow', () => slow(0.01)))).toBe('ok');
  });

  test('is not cancelled when it ends by itself soon', async () => {
    const gone = new AbortController();
    const short = codeOf(as('slow', () => slow(0.1), gone.signal));
    await reach(1);
    gone.abort();
    expect(await short).toBe('ok');
  });

  test('continues without its caller where the work must complete', async () => {
    expect(await codeOf(as('slow', () => slow(0.5), null))).toBe('ok');
  });
});

test('a transaction that must complete has the timeout of background work', async () => {
  const slow = () =>
    database.prisma.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(${CALLER_MS / 1000 + 0.5})::text`);
  expect(await codeOf(as('slow', slow))).toBe('ok');
});

test('a query beside a transaction of the same call takes no additional share', async () => {
  const small = openDatabase(url, { max: 3 });
  try {
    const beside = () =>
      small.prisma.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1`;
        return small.query<{ one: number }>('SELECT 1 AS one', []);
      });
    expect(await as('one', beside)).toEqual([{ one: 1 }]);
  } finally {
    await small.close();
  }
});

test('a caller that disconnects while it waits for its share takes none', async () => {
  const holding = Array.from({ length: 4 }, () => as('slow', () => database.query('SELECT pg_sleep(1)', [])));
  await reach(4);
  const gone = new AbortController();
  const waiting = codeOf(as('slow', () => database.query('SELECT pg_sleep(30)', []), gone.signal));
  gone.abort();
  expect(await waiting).toBe('canceled');
  await Promise.all(holding);
});

test('connections that a call leaves behind count against no workspace', async () => {
  let later: Promise<unknown> | undefined;
  await as('gone', async () => {
    const ended = new Promise((resolve) => setTimeout(resolve, 50));
    later = ended.then(() =>
      Promise.all(Array.from({ length: 8 }, () => database.query('SELECT pg_sleep(0.5)', []))),
    );
    await database.query('SELECT 1', []);
  });
  await reach(8);
  await later;
});

test('a long-running transaction has no timeout', async () => {
  const impatient = openDatabase(url, { max: 2, timeouts: { callerMs: 100, backgroundMs: 200 } });
  try {
    const transactions = prismaTransactions(impatient.prisma, {
      ids: { next: () => 'id_1' } as never,
      clock: { sleep: () => Promise.resolve() } as never,
      jobsIn: () => ({}) as never,
    });
    const waitForLock = (patience?: 'lasting') =>
      transactions.run(async (tx) => {
        await tx.workspaces.find('wsp_none' as WorkspaceId);
        return ok();
      }, patience);
    await observer.query('BEGIN');
    await observer.query('LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE');
    const short = codeOf(waitForLock());
    const lasting = codeOf(waitForLock('lasting'));
    expect(await short).toBe('canceled');
    await observer.query('ROLLBACK');
    expect(await lasting).toBe('ok');
  } finally {
    await observer.query('ROLLBACK');
    await impatient.close();
  }
});
