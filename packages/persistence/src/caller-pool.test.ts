import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ok, type WorkspaceId } from '@switchboard/domain';
import type { QueryingCaller } from '@switchboard/domain/ports';
import pg from 'pg';
import { callerQueries } from './caller-scope.js';
import { openDatabase, type Database } from './open-database.js';
import { prismaTransactions } from './prisma-transactions.js';
import { testDatabase } from './testing.js';

const CALLER_MS = 1500;
const PATIENT_MS = 600_000;
let url: string;
let database: Database;
/** Of the same kind, with a timeout that no test reaches. */
let patient: Database;
let observer: pg.Client;
beforeAll(async () => {
  url = await testDatabase('caller_pool');
  database = openDatabase(url, { max: 10, timeouts: { callerMs: CALLER_MS, backgroundMs: 60_000 } });
  patient = openDatabase(url, { max: 10, timeouts: { callerMs: PATIENT_MS, backgroundMs: PATIENT_MS } });
  observer = new pg.Client({ connectionString: url });
  await observer.connect();
});
afterAll(async () => {
  await observer?.end();
  await patient?.close();
  await database?.close();
});

const as = <Value>(workspace: string, work: () => Promise<Value>, signal: AbortSignal | null = null) =>
  callerQueries.run({ workspaceId: workspace as WorkspaceId, signal } satisfies QueryingCaller, work);
/** Ends when the test releases the lock. */
const BLOCKED = 'SELECT pg_advisory_xact_lock_shared(80)::text';
const block = () => observer.query('SELECT pg_advisory_lock(80)');
const unblock = () => observer.query('SELECT pg_advisory_unlock_all()');
const sleep = (seconds: number) => `SELECT pg_sleep(${seconds})::text`;
/** The number of statements that sleep, or that are blocked. */
const running = async () => {
  const { rows } = await observer.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND wait_event IN ('PgSleep', 'advisory')`,
  );
  return rows[0]?.count ?? NaN;
};
/** Polls without a deadline, for slow machines. */
const reach = async (count: number) => {
  while ((await running()) !== count) await new Promise((resolve) => setTimeout(resolve, 10));
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (JSON.stringify(error).includes('57014') ? 'canceled' : String(error)),
  );
afterEach(async () => {
  await unblock();
  await reach(0);
});

const inTransaction = (at: Database, sql: string) =>
  at.prisma.$transaction((tx) => tx.$queryRawUnsafe(sql), { maxWait: PATIENT_MS, timeout: PATIENT_MS });
/** One statement, sent in each of the supported ways. */
const ways: readonly (readonly [string, (at: Database, sql: string) => Promise<unknown>])[] = [
  ['raw SQL', (at, sql) => at.query(sql, [])],
  ['a Prisma query', (at, sql) => at.prisma.$queryRawUnsafe(sql)],
  ['a transaction', inTransaction],
];

describe.each(ways)('finding 80, %s:', (_way, send) => {
  test('ten slow statements of a workspace hold four connections, and other workspaces do not wait for them', async () => {
    await block();
    const all = Array.from({ length: 10 }, () => codeOf(as('slow', () => send(patient, BLOCKED))));
    await reach(4);
    // These end although none of the others has.
    await as('quick', () => patient.query('SELECT 1', []));
    await patient.query('SELECT 1', []);
    expect(await running()).toBe(4);
    await unblock();
    expect(await Promise.all(all)).toEqual(Array.from({ length: 10 }, () => 'ok'));
  });

  test('ends at the timeout for callers', async () => {
    const beganMs = performance.now();
    // PostgreSQL measures both times: the statement would succeed a second after its timeout.
    const slow = () => send(database, sleep(CALLER_MS / 1000 + 1));
    expect(await codeOf(as('slow', slow, new AbortController().signal))).toBe('canceled');
    expect(performance.now() - beganMs).toBeGreaterThan(CALLER_MS - 50);
  });

  test('does not end at that timeout without a caller', async () => {
    expect(await codeOf(send(database, sleep(CALLER_MS / 1000 + 0.5)))).toBe('ok');
  });

  test('is cancelled a quarter of a second after its caller disconnects, and the next one is not', async () => {
    const gone = new AbortController();
    const cut = codeOf(as('slow', () => send(patient, sleep(PATIENT_MS / 1000)), gone.signal));
    await reach(1);
    gone.abort();
    const abortedMs = performance.now();
    expect(await cut).toBe('canceled');
    // Statements that end by themselves within this time are not cancelled.
    expect(performance.now() - abortedMs).toBeGreaterThan(245);
    await reach(0);
    for (let n = 0; n < 10; n++)
      expect(await codeOf(as('slow', () => send(patient, sleep(0.01))))).toBe('ok');
  });

  test('continues without its caller where the work must complete', async () => {
    expect(await codeOf(as('slow', () => send(database, sleep(0.5)), null))).toBe('ok');
  });
});

test('a statement of any size runs in one process of PostgreSQL', async () => {
  const cheap = ['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'];
  const plan = await database.prisma.$transaction(async (tx) => {
    for (const setting of cheap) await tx.$executeRawUnsafe(`SET LOCAL ${setting} = 0`);
    return tx.$queryRawUnsafe<object[]>('EXPLAIN SELECT sum(relpages) FROM pg_class');
  });
  expect(JSON.stringify(plan)).toMatch(/Seq Scan on pg_class/);
  expect(JSON.stringify(plan)).not.toMatch(/Gather/);
});

test('a transaction that must complete has the timeout of background work', async () => {
  const slow = () => inTransaction(database, sleep(CALLER_MS / 1000 + 0.5));
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
  await block();
  const holding = Array.from({ length: 4 }, () => as('slow', () => patient.query(BLOCKED, [])));
  await reach(4);
  const gone = new AbortController();
  const waiting = codeOf(as('slow', () => patient.query(sleep(PATIENT_MS / 1000), []), gone.signal));
  gone.abort();
  expect(await waiting).toBe('canceled');
  expect(await running()).toBe(4);
  await unblock();
  await Promise.all(holding);
});

test('connections that a call leaves behind count against no workspace', async () => {
  await block();
  let later: Promise<unknown> | undefined;
  await as('gone', async () => {
    const ended = new Promise((resolve) => setTimeout(resolve, 50));
    later = ended.then(() => Promise.all(Array.from({ length: 8 }, () => patient.query(BLOCKED, []))));
    await patient.query('SELECT 1', []);
  });
  await reach(8);
  await unblock();
  await later;
});

describe('through a transaction pooler', () => {
  let pooled: Database;
  beforeAll(() => {
    pooled = openDatabase(url, {
      max: 4,
      isPooled: true,
      timeouts: { callerMs: CALLER_MS, backgroundMs: PATIENT_MS },
    });
  });
  afterAll(() => pooled?.close());

  test('nothing is left in the session but the time zone, which poolers track', async () => {
    await pooled.query('SELECT $1::int AS one', [1]);
    await as('a', () => pooled.prisma.$queryRaw`SELECT ${1}::int AS one`);
    const rows = await pooled.query<{ zone: string; timeout: string; prepared: number }>(
      `SELECT current_setting('TimeZone') AS zone, current_setting('statement_timeout') AS timeout,
         (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared`,
      [],
    );
    expect(rows).toEqual([{ zone: 'UTC', timeout: '0', prepared: 0 }]);
  });

  test('a statement is cancelled at the timeout for callers, also in a transaction, and the next one is not', async () => {
    await block();
    expect(await as('a', () => codeOf(pooled.query(BLOCKED, [])))).toBe('canceled');
    const { signal } = new AbortController();
    expect(await as('a', () => codeOf(inTransaction(pooled, BLOCKED)), signal)).toBe('canceled');
    const blocked = codeOf(pooled.query(BLOCKED, []));
    await new Promise((resolve) => setTimeout(resolve, CALLER_MS * 2));
    await unblock();
    expect(await blocked).toBe('ok');
    expect(await as('a', () => codeOf(pooled.query('SELECT 1', [])))).toBe('ok');
  });
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
