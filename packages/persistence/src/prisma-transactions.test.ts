import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import { ok, refuse } from '@switchboard/domain';
import type { Clock, Transactions, Tx } from '@switchboard/domain/ports';
import type { Profile } from '@switchboard/domain/profiles';
import type { Workspace } from '@switchboard/domain/workspaces';
import { openDatabase, prismaTransactions, type Database } from './index.js';
import { WriteConflictError } from './write-conflict-error.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const ids = countedIds(clock);
const build = builders({ clock, ids });

describe('prismaTransactions', () => {
  let database: Database;
  let transactions: Transactions;
  let workspace: Workspace;
  let profiles: [Profile, Profile];
  beforeAll(async () => {
    database = openDatabase(await testDatabase('transactions'), { max: 6 });
    const jobsIn = () => ({ enqueue: () => Promise.resolve() });
    transactions = prismaTransactions(database.prisma, { ids, clock, jobsIn });
    workspace = build.workspace();
    profiles = [build.profile(workspace), build.profile(workspace)];
    await transactions.run(async (tx) => {
      await tx.workspaces.insert(workspace);
      for (const profile of profiles) await tx.profiles.insert(profile);
      return ok();
    });
  });
  afterAll(() => database.close());

  test('rolls back a transaction that exceeds the timeout, except long-running work', async () => {
    const jobsIn = () => ({ enqueue: () => Promise.resolve() });
    const short = prismaTransactions(database.prisma, { ids, clock, jobsIn, timeoutMs: 100 });
    const slowly = (tx: Tx) => clock.sleep(300).then(async () => ok(await tx.workspaces.find(workspace.id)));
    await expect(short.run(slowly)).rejects.toThrow();
    expect(await short.run(slowly, 'lasting')).toEqual(ok(workspace));
  });

  /** A barrier that both sides of a test wait for. */
  function meeting(): () => Promise<void> {
    let arrived = 0;
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    return () => {
      if (++arrived >= 2) open();
      return opened;
    };
  }

  test.each(['through the model', 'through SQL'] as const)(
    'both sides of a deadlock commit eventually, %s',
    async (how) => {
      const meet = meeting();
      let runs = 0;
      const touchBoth = ([first, second]: readonly Profile[]) =>
        transactions.run(async (tx) => {
          runs++;
          for (const profile of [first, second] as [Profile, Profile]) {
            if (how === 'through the model')
              await tx.profiles.update(workspace.id, profile.id, { name: how });
            else
              await tx.posts.lockContent(
                build.connection(profile, { id: `con_${profile.id}` as never }).id,
                'same',
              );
            await meet();
          }
          return ok('done');
        });
      const outcomes = await Promise.all([touchBoth(profiles), touchBoth([...profiles].reverse())]);
      expect(outcomes).toEqual([ok('done'), ok('done')]);
      // The first run of each, and one again; or more, if that one locks its first row before the other wakes.
      expect(runs).toBeGreaterThanOrEqual(3);
    },
  );

  test('work with a write conflict runs again, and its first changes are rolled back', async () => {
    let runs = 0;
    const outcome = await transactions.run(async (tx) => {
      const profile = build.profile(workspace, { name: `run ${++runs}` });
      await tx.profiles.insert(profile);
      if (runs === 1) throw new WriteConflictError('a concurrent update');
      return ok();
    });
    expect(outcome).toEqual(ok());
    const names = (await database.prisma.profile.findMany()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('run'))).toEqual(['run 2']);
  });

  test('work that conflicts every time fails with the error', async () => {
    let runs = 0;
    const outcome = transactions.run(async () => {
      runs++;
      throw new WriteConflictError('always');
    });
    await expect(outcome).rejects.toThrow('always');
    expect(runs).toBe(5);
  });

  test('any other error is rethrown immediately', async () => {
    let runs = 0;
    const outcome = transactions.run(async (tx) => {
      runs++;
      await tx.workspaces.insert(workspace);
      return ok();
    });
    await expect(outcome).rejects.toMatchObject({ code: 'P2002' });
    expect(runs).toBe(1);
  });

  test('a key that an open transaction claimed is in progress to others, without waiting', async () => {
    const scope = { workspaceId: workspace.id, operation: 'createPost', lineage: 'key', key: 'open' };
    const meanwhile = await transactions.run(async (tx) => {
      await tx.idempotency.claim(scope, 'print', 60);
      const other = await transactions.run(async (second) =>
        ok(await second.idempotency.claim(scope, 'print', 60)),
      );
      await tx.idempotency.storeResponse(scope, 201, new Uint8Array([1]));
      return other;
    });
    expect(meanwhile).toEqual(ok({ kind: 'in_progress', fingerprint: null }));
    const after = await transactions.run(async (tx) => ok(await tx.idempotency.claim(scope, 'print', 60)));
    expect(after).toMatchObject(ok({ kind: 'answered', fingerprint: 'print', status: 201 }));
  });

  test('a failure value is returned unchanged and nothing is repeated', async () => {
    let runs = 0;
    const refused = refuse('profile.in_use', 'In use.', { details: { connections: 1 } });
    const outcome = await transactions.run(async () => {
      runs++;
      return refused;
    });
    expect([outcome, runs]).toEqual([refused, 1]);
  });
});
