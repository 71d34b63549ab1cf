import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import { sealAudit, verifyChain, type ChainBreakKind } from '@switchboard/domain/audit';
import type { AuditRow, ChainHead, Clock, Jobs } from '@switchboard/domain/ports';
import { countedIds } from '@switchboard/domain/testing';
import type { DatabaseClient } from './columns.js';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const ids = countedIds(clock);
const tokens = {
  random: () => 'random',
  digest: (text: string) => new Uint8Array(createHash('sha256').update(text).digest()),
  digestHex: (text: string) => createHash('sha256').update(text).digest('hex'),
};
const jobsIn = (): Jobs => ({ enqueue: () => Promise.resolve() });
const never = new AbortController().signal;

/** A process with its own connections. */
function processOn(url: string) {
  const database = openDatabase(url, { max: 6 });
  const { auditTrail } = prismaRepositories(database.prisma);
  const transactions = prismaTransactions(database.prisma, { ids, clock, jobsIn });
  return { database, ports: { auditTrail, transactions, tokens } };
}

const opened: Database[] = [];
let url: string;
let one: ReturnType<typeof processOn>;
let two: ReturnType<typeof processOn>;
beforeAll(async () => {
  url = await testDatabase('audit_chain');
  [one, two] = [processOn(url), processOn(url)];
  opened.push(one.database, two.database);
});
afterAll(() => Promise.all(opened.map((database) => database.close())));

const rowOf = (workspaceId: WorkspaceId, nth: number): AuditRow => ({
  workspaceId,
  actor: 'key_1',
  action: 'createProfile',
  object: `prf_${nth}`,
  outcome: 'ok',
  requestId: `req_${nth}`,
  details: { nth, text: 'ä' },
});
async function append(process: typeof one, workspaceId: WorkspaceId, count: number) {
  await process.ports.transactions.run(async (tx) => {
    for (let nth = 1; nth <= count; nth++) await tx.audit.append(rowOf(workspaceId, nth));
    return { ok: true, value: undefined };
  });
}
const verifyWith = (client: DatabaseClient, workspaceId: WorkspaceId, noted: readonly ChainHead[] = []) =>
  verifyChain(
    { auditTrail: prismaRepositories(client).auditTrail, tokens },
    workspaceId,
    noted,
    () => undefined,
    never,
  );
const verify = (workspaceId: WorkspaceId) => verifyWith(one.database.prisma, workspaceId);

describe('R29: the owner of the database', () => {
  let ours: WorkspaceId;
  let theirs: WorkspaceId;
  beforeAll(async () => {
    [ours, theirs] = [ids.next('wsp'), ids.next('wsp')];
    await append(one, ours, 10);
    await append(one, theirs, 10);
    await sealAudit(one.ports, never);
  });

  /** Runs the statements with the triggers off, verifies the chain, and rolls back. */
  async function tampered(sql: readonly string[], noted: readonly ChainHead[] = []) {
    let found: Awaited<ReturnType<typeof verify>> | null = null;
    await one.database.prisma
      .$transaction(async (client) => {
        await client.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
        await client.$executeRawUnsafe('DROP INDEX audit_rows_seq_key');
        for (const statement of sql) {
          const count = await client.$executeRawUnsafe(
            statement.replaceAll('OURS', `'${ours}'`).replaceAll('THEIRS', `'${theirs}'`),
          );
          if (/^(UPDATE|DELETE|INSERT)/.test(statement) && count === 0)
            throw new Error(`nothing: ${statement}`);
        }
        found = await verifyWith(client, ours, noted);
        throw new Error('taken back');
      })
      .catch((error: Error) => {
        if (error.message !== 'taken back') throw error;
      });
    return (found as Awaited<ReturnType<typeof verify>> | null)?.broken;
  }
  const at = (seq: number, of = 'OURS') => `workspace_id = ${of} AND seq = ${seq}`;
  const forged = (seq: string, prev = `'\\x00'::bytea`) =>
    `INSERT INTO audit_rows (id, workspace_id, actor, action, outcome, request_id, details, seq, prev_hash, row_hash)
     VALUES ('aud_forged', OURS, 'key_2', 'x', 'ok', 'req', '{}', ${seq}, ${prev}, '\\x01'::bytea)`;

  test.each<[string, readonly string[], ChainBreakKind, number]>([
    ['edits a row', [`UPDATE audit_rows SET actor = 'key_2' WHERE ${at(4)}`], 'changed', 4],
    [
      'edits its details',
      [`UPDATE audit_rows SET details = details || '{"nth":5}' WHERE ${at(4)}`],
      'changed',
      4,
    ],
    [
      'moves its time',
      [`UPDATE audit_rows SET created_at = created_at + interval '1 ms' WHERE ${at(4)}`],
      'changed',
      4,
    ],
    ['changes how often', [`UPDATE audit_rows SET count = 7 WHERE ${at(1)}`], 'changed', 1],
    [
      'gives the edited row a hash of its own',
      [
        `UPDATE audit_rows SET row_hash = '\\x02'::bytea WHERE ${at(4)}`,
        `UPDATE audit_rows SET prev_hash = '\\x02'::bytea WHERE ${at(5)}`,
      ],
      'changed',
      4,
    ],
    ['deletes in the middle', [`DELETE FROM audit_rows WHERE ${at(4)}`], 'missing', 4],
    ['deletes the first', [`DELETE FROM audit_rows WHERE ${at(1)}`], 'missing', 1],
    [
      'deletes and numbers the rest anew',
      [
        `DELETE FROM audit_rows WHERE ${at(4)}`,
        `UPDATE audit_rows SET seq = seq - 1 WHERE workspace_id = OURS AND seq > 4`,
        `UPDATE audit_heads SET seq = 9 WHERE workspace_id = OURS`,
      ],
      'missing',
      4,
    ],
    ['deletes the tail', [`DELETE FROM audit_rows WHERE workspace_id = OURS AND seq > 8`], 'missing', 9],
    ['deletes all of it', [`DELETE FROM audit_rows WHERE workspace_id = OURS`], 'missing', 1],
    ['deletes the head', [`DELETE FROM audit_heads WHERE workspace_id = OURS`], 'head_lost', 1],
    ['adds at the end', [forged('11')], 'inserted', 11],
    [
      'puts a row in between',
      [
        `UPDATE audit_rows SET seq = seq + 1 WHERE workspace_id = OURS AND seq >= 5`,
        forged('5', `(SELECT row_hash FROM audit_rows WHERE ${at(4)})`),
      ],
      'inserted',
      5,
    ],
    [
      'lets two rows change places',
      [`UPDATE audit_rows SET seq = 11 - seq WHERE workspace_id = OURS AND seq IN (5, 6)`],
      'reordered',
      5,
    ],
    [
      'lets rows of two workspaces change places',
      [
        `UPDATE audit_rows SET workspace_id = CASE workspace_id WHEN OURS THEN THEIRS ELSE OURS END
         WHERE seq = 5 AND workspace_id IN (OURS, THEIRS)`,
      ],
      'foreign',
      5,
    ],
    [
      'lets first rows of two workspaces change places',
      [
        `UPDATE audit_rows SET workspace_id = CASE workspace_id WHEN OURS THEN THEIRS ELSE OURS END
         WHERE seq = 1 AND workspace_id IN (OURS, THEIRS)`,
      ],
      'foreign',
      1,
    ],
    ['moves the head back', [`UPDATE audit_heads SET seq = 9 WHERE workspace_id = OURS`], 'inserted', 10],
  ])('%s: the verification detects it', async (_what, sql, kind, seq) => {
    expect(await tampered(sql)).toMatchObject({ kind, seq });
    expect((await verify(ours)).broken).toBeNull();
  });

  test('rebuilds the chain from some row on: only a recorded head detects it', async () => {
    const before = await one.ports.auditTrail.findHead(ours);
    const noted = { seq: before.seq, rowHash: before.rowHash };
    const anew = [
      `UPDATE audit_rows SET actor = 'key_2' WHERE ${at(6)}`,
      `UPDATE audit_rows SET seq = NULL, prev_hash = NULL, row_hash = NULL WHERE workspace_id = OURS AND seq >= 6`,
      `UPDATE audit_heads SET seq = 5, row_hash = (SELECT row_hash FROM audit_rows WHERE ${at(5)}) WHERE workspace_id = OURS`,
    ];
    const outcome: unknown[] = [];
    await one.database.prisma
      .$transaction(async (client) => {
        await client.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
        for (const statement of anew)
          await client.$executeRawUnsafe(statement.replaceAll('OURS', `'${ours}'`));
        // As the service itself does.
        const { auditTrail } = prismaRepositories(client);
        const transactions = {
          run: async (work: (tx: never) => Promise<never>) => work({ auditTrail } as never),
        };
        await sealAudit({ auditTrail, transactions: transactions as never, tokens }, never);
        outcome.push(
          (await verifyWith(client, ours)).broken,
          (await verifyWith(client, ours, [noted])).broken,
        );
        throw new Error('taken back');
      })
      .catch((error: Error) => {
        if (error.message !== 'taken back') throw error;
      });
    expect(outcome).toEqual([null, expect.objectContaining({ kind: 'rewritten', seq: 10 })]);
  });

  test.each([
    ['an edit', `UPDATE audit_rows SET actor = 'key_2' WHERE ${at(4)}`],
    ['another place in the chain', `UPDATE audit_rows SET seq = 40 WHERE ${at(4)}`],
    [
      'that it was never sealed',
      `UPDATE audit_rows SET seq = NULL, prev_hash = NULL, row_hash = NULL WHERE ${at(4)}`,
    ],
    ['a deletion', `DELETE FROM audit_rows WHERE ${at(4)}`],
    ['emptying', 'TRUNCATE audit_rows'],
    ['a head that moves back', `UPDATE audit_heads SET seq = 3 WHERE workspace_id = OURS`],
    ['a head that goes', `DELETE FROM audit_heads WHERE workspace_id = OURS`],
  ])('other roles are refused %s', async (_what, sql) => {
    const asked = one.database.prisma.$executeRawUnsafe(sql.replaceAll('OURS', `'${ours}'`));
    await expect(asked).rejects.toThrow(/audit log is not changed/);
  });

  test('the remaining rows of a workspace are deleted when it is named, and no rows of another workspace', async () => {
    const gone = ids.next('wsp');
    await append(one, gone, 3);
    await sealAudit(one.ports, never);
    const purge = (of: WorkspaceId) =>
      one.database.prisma.$transaction(async (client) => {
        await client.$executeRaw`SELECT set_config('switchboard.purged_workspace', ${gone}, true)`;
        await client.$executeRaw`DELETE FROM audit_rows WHERE workspace_id = ${of}`;
        await client.$executeRaw`DELETE FROM audit_heads WHERE workspace_id = ${of}`;
      });
    await expect(purge(ours)).rejects.toThrow(/audit log is not changed/);
    await purge(gone);
    expect(await one.ports.auditTrail.listChains()).not.toContain(gone);
  });
});

test('the count of an unsealed row can be increased, and nothing else', async () => {
  const id = ids.next('wsp');
  const { prisma } = one.database;
  await one.ports.transactions.run(async (tx) => {
    await tx.audit.tally([{ ...rowOf(id, 1), batch: 'a minute', count: 2 }]);
    await tx.audit.append(rowOf(id, 2));
    return { ok: true, value: undefined };
  });
  const change = (set: string, where: string) =>
    prisma.$executeRawUnsafe(`UPDATE audit_rows SET ${set} WHERE workspace_id = '${id}' AND ${where}`);
  await change('count = count + 1', 'batch IS NOT NULL');
  for (const [set, where] of [
    ['count = count - 1', 'batch IS NOT NULL'],
    ['count = count + 1', 'batch IS NULL'],
    [`outcome = 'other'`, 'true'],
  ] as const)
    await expect(change(set, where)).rejects.toThrow(/audit log is not changed/);
});

test('concurrent sealers and writers produce one chain per workspace that contains every row', async () => {
  const workspaces = Array.from({ length: 4 }, () => ids.next('wsp'));
  let isWriting = true;
  const writers = Promise.all(
    workspaces.flatMap((id) =>
      [one, two].map(async (process) => {
        for (let turn = 0; turn < 15; turn++) await append(process, id, 1 + (turn % 3));
      }),
    ),
  ).finally(() => (isWriting = false));
  const sealers = [one, two, one, two].map(async ({ ports }) => {
    while (isWriting) {
      await sealAudit(ports, never);
      await clock.sleep(5);
    }
  });
  await Promise.all([writers, ...sealers]);
  await sealAudit(one.ports, never);
  for (const id of workspaces)
    expect(await verify(id)).toMatchObject({ checked: 60, unsealed: 0, broken: null });
}, 60_000);

test('a row that is committed after later rows were sealed is sealed behind them', async () => {
  const id = ids.next('wsp');
  const begun = Promise.withResolvers<undefined>();
  const late = Promise.withResolvers<undefined>();
  const slow = two.database.prisma.$transaction(async (client) => {
    await client.$executeRaw`
      INSERT INTO audit_rows (id, workspace_id, actor, action, outcome, request_id, details)
      VALUES (${ids.next('aud')}, ${id}, 'key_1', 'late', 'ok', 'req', '{}')`;
    begun.resolve(undefined);
    await late.promise;
  });
  await begun.promise;
  await append(one, id, 3);
  await sealAudit(one.ports, never);
  expect(await verify(id)).toMatchObject({ checked: 3, broken: null });
  late.resolve(undefined);
  await slow;
  await sealAudit(one.ports, never);
  expect(await verify(id)).toMatchObject({ checked: 4, unsealed: 0, broken: null });
  expect((await one.ports.auditTrail.listSealed(id, 3, 5)).map(({ action }) => action)).toEqual(['late']);
});

test('a sealer whose connection is cut before the commit has sealed nothing, and the next one continues', async () => {
  const id = ids.next('wsp');
  await append(one, id, 5);
  const cut = one.database.prisma.$transaction(async (client) => {
    const { auditTrail } = prismaRepositories(client);
    const [entry] = await auditTrail.listToSeal(id, 5);
    if (!entry) throw new Error('nothing to seal');
    await auditTrail.lockHead(id);
    await auditTrail.seal(id, [{ id: entry.id, seq: 1, prevHash: '', rowHash: 'ff' }]);
    const [me] = await client.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    await two.database.prisma.$queryRaw`SELECT pg_terminate_backend(${me?.pid}::int)`;
    await client.$queryRaw`SELECT 1`;
  });
  await expect(cut).rejects.toThrow();
  await sealAudit(two.ports, never);
  expect(await verify(id)).toMatchObject({ checked: 5, unsealed: 0, broken: null });
});

test('a count that arrives after its row was sealed creates a new row', async () => {
  const id = ids.next('wsp');
  const tally = (count: number) =>
    one.ports.transactions.run(async (tx) => ({
      ok: true,
      value: await tx.audit.tally([{ ...rowOf(id, 1), batch: 'a minute', count }]),
    }));
  await tally(1);
  await one.database.prisma.$transaction(async (client) => {
    await client.$executeRaw`SET LOCAL session_replication_role = replica`;
    await client.$executeRaw`UPDATE audit_rows SET created_at = created_at - interval '3 minutes' WHERE workspace_id = ${id}`;
  });
  await sealAudit(one.ports, never);
  await tally(4);
  const { items } = await one.ports.auditTrail.list(id, {}, { limit: 5 });
  expect(items.map(({ count, sealed }) => [count, sealed])).toEqual([
    [4, false],
    [1, true],
  ]);
  expect(await verify(id)).toMatchObject({ checked: 1, unsealed: 1, broken: null });
});
