import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ok, Secret, type WorkspaceId } from '@switchboard/domain';
import { builders } from '@switchboard/domain/testing';
import {
  openDatabase,
  prismaProcessRegistry,
  prismaRepositories,
  prismaTransactions,
  type Database,
} from '@switchboard/persistence';
import { testDatabase } from '@switchboard/persistence/testing';
import {
  environmentMasterKeys,
  generateMasterKey,
  randomIds,
  rotateMasterKeys,
  sodiumVault,
} from '@switchboard/vault';
import { runVaultChaos } from './chaos/run-vault-chaos.js';
import { startCommitProxy, type CommitProxy, type CutPoint } from './support/commit-proxy.js';

const never = new AbortController().signal;
const clock = {
  now: () => new Date(),
  after: (ms: number) => new Date(Date.now() + ms),
  sleep: () => Promise.resolve(),
};

test('R01: three rotations during reads: no read fails, no data key uses an old master key, all secrets open with only the newest', async () => {
  const outcome = await runVaultChaos({
    databaseUrl: await testDatabase('vault_rotation'),
    log: () => undefined,
    rotations: 3,
    workspaces: 20,
    secretsEach: 3,
    readers: 2,
  });
  expect(outcome).toMatchObject({
    secrets: 60,
    failed_reads: 0,
    left_on_old_keys: 0,
    read_with_only_the_newest: 60,
  });
  expect(outcome.reads_meanwhile).toBeGreaterThan(10);
});

describe('R02: a rotation whose database connection breaks', () => {
  const WORKSPACES = 20;
  const CUTS: readonly CutPoint[] = ['before the server commits', 'after the server has committed'];
  let proxy: CommitProxy;
  /** Bypassing the proxy, and through it. */
  let direct: Database;
  let through: Database;
  let owners: readonly (WorkspaceId | null)[];
  let list: string[];

  beforeAll(async () => {
    const url = await testDatabase('vault_sweep');
    direct = openDatabase(url, { max: 4 });
    proxy = await startCommitProxy(url);
    through = openDatabase(proxy.url, { max: 2 });
    list = [generateMasterKey().reveal()];
    const tables = prismaRepositories(direct.prisma);
    const build = builders({ clock, ids: randomIds(clock) });
    const workspaces = Array.from({ length: WORKSPACES }, () => build.workspace());
    for (const workspace of workspaces) await tables.workspaces.insert(workspace);
    owners = [null, ...workspaces.map(({ id }) => id)];
    const vault = await sodiumVault({ masterKeys: await keys(), dataKeys: tables.dataKeys, clock });
    for (const owner of owners) {
      const minted = await vault.generateDataKey(owner);
      if (!minted.ok) throw new Error(minted.failure.message);
      await tables.dataKeys.insert(minted.value);
    }
  });
  afterAll(async () => {
    await through?.close();
    await proxy?.close();
    await direct?.close();
  });

  async function keys() {
    const held = await environmentMasterKeys(new Secret(list.join(',')));
    if (!held.ok) throw new Error(held.failure.message);
    return held.value;
  }

  async function rotate({ prisma }: Database) {
    const { dataKeys } = prismaRepositories(prisma);
    const ids = randomIds(clock);
    const transactions = prismaTransactions(prisma, {
      ids,
      clock,
      jobsIn: () => ({ enqueue: () => Promise.resolve() }),
    });
    const rewrap: typeof dataKeys.rewrap = async (changes) => {
      const stored = await transactions.run(async (tx) => ok(await tx.dataKeys.rewrap(changes)));
      return stored.ok ? stored.value : 0;
    };
    const parts = { masterKeys: await keys(), holders: prismaProcessRegistry(prisma), clock, batch: 5 };
    return rotateMasterKeys(
      { ...parts, dataKeys: { ...dataKeys, rewrap } },
      { onProgress: () => undefined, signal: never },
    );
  }

  async function expectAllReadable() {
    const { dataKeys } = prismaRepositories(direct.prisma);
    const vault = await sodiumVault({ masterKeys: await keys(), dataKeys, clock });
    for (const owner of owners) expect(await vault.unlock(owner)).toMatchObject({ ok: true });
  }

  /** One rotation to a new master key; returns the number of commits when none was cut. */
  async function sweepCommits(commit: number | null, cut?: CutPoint): Promise<number> {
    list = [generateMasterKey().reveal(), ...list.slice(0, 1)];
    proxy.cutAt(commit, cut);
    const cutOff = await rotate(through).catch((error: unknown) => error as Error);
    const commits = proxy.commits();
    proxy.cutAt(null);
    expect(cutOff instanceof Error).toBe(commit !== null);
    await expectAllReadable();
    // The operator runs the command again.
    expect(await rotate(direct)).toMatchObject({ ok: true });
    const { dataKeys } = prismaRepositories(direct.prisma);
    expect(await dataKeys.countByMasterKey()).toMatchObject([{ dataKeys: owners.length }]);
    list = list.slice(0, 1);
    await expectAllReadable();
    return commits;
  }

  test('at any commit, before or after it: all secrets open, and the next rotation completes', async () => {
    const commits = await sweepCommits(null);
    expect(commits).toBe(1 + WORKSPACES / 5);
    expect(await sweepCommits(null)).toBe(commits);
    for (let n = 1; n <= commits; n += 1) {
      for (const cut of CUTS) await sweepCommits(n, cut);
    }
  });
});
