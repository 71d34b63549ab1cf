import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ok, Secret, type ConnectionId, type WorkspaceId } from '@switchboard/domain';
import { credentialBinding } from '@switchboard/domain/connections';
import { builders } from '@switchboard/domain/testing/builders';
import { createWorkspace } from '@switchboard/domain/workspaces';
import {
  openDatabase,
  prismaProcessRegistry,
  prismaRepositories,
  prismaTransactions,
} from '@switchboard/persistence';
import {
  fileMasterKeys,
  generateMasterKey,
  randomIds,
  rotateMasterKeys,
  sodiumVault,
  type MasterKeyProvider,
} from '@switchboard/vault';

export interface VaultChaosOptions {
  /** A migrated, empty database. */
  readonly databaseUrl: string;
  readonly rotations: number;
  readonly workspaces: number;
  readonly secretsEach: number;
  readonly readers: number;
  readonly log: (line: string) => void;
}

export interface VaultChaosOutcome {
  readonly rotations: number;
  readonly secrets: number;
  readonly reads_meanwhile: number;
  readonly failed_reads: number;
  readonly left_on_old_keys: number;
  readonly read_with_only_the_newest: number;
  readonly slowest_rotation_ms: number;
}

const never = new AbortController().signal;

const clock = {
  now: () => new Date(),
  after: (ms: number) => new Date(Date.now() + ms),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

/**
 * Rotates master keys repeatedly in a file shared by several processes, while sealed secrets are read
 * continuously.
 */
export async function runVaultChaos(options: VaultChaosOptions): Promise<VaultChaosOutcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-vault-'));
  const database = openDatabase(options.databaseUrl, { max: 10 });
  const file = path.join(folder, 'keys');
  try {
    return await runRotations(options, database, file);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runRotations(
  { rotations, workspaces, secretsEach, readers, log }: VaultChaosOptions,
  { prisma }: ReturnType<typeof openDatabase>,
  file: string,
): Promise<VaultChaosOutcome> {
  const ids = randomIds(clock);
  const build = builders({ clock, ids });
  const jobsIn = () => ({ enqueue: () => Promise.resolve() });
  const [repositories, holders] = [prismaRepositories(prisma), prismaProcessRegistry(prisma)];
  const { dataKeys, credentials } = repositories;
  const transactions = prismaTransactions(prisma, { ids, clock, jobsIn });
  let list = [generateMasterKey().reveal()];
  const writeKeys = () => writeFile(file, `${list.join('\n')}\n`, { mode: 0o600 });
  await writeKeys();
  const openKeys = async (): Promise<MasterKeyProvider> => {
    const keys = await fileMasterKeys(file, { createIfMissing: false });
    if (!keys.ok) throw new Error(keys.failure.message);
    return keys.value;
  };

  const sealed: { workspaceId: WorkspaceId; connectionId: ConnectionId; text: string }[] = [];
  const setupVault = await sodiumVault({ masterKeys: await openKeys(), dataKeys, clock });
  const first = await setupVault.generateDataKey(null);
  if (!first.ok) throw new Error(first.failure.message);
  await dataKeys.insert(first.value);
  for (let nth = 0; nth < workspaces; nth++) {
    const created = await createWorkspace(
      { transactions, vault: setupVault, ids, clock },
      { name: `chaos ${nth}` },
    );
    if (!created.ok) throw new Error(created.failure.message);
    const { workspace, profile } = created.value;
    const unlocked = await setupVault.unlock(workspace.id);
    if (!unlocked.ok) throw new Error(unlocked.failure.message);
    for (let one = 0; one < secretsEach; one++) {
      const connection = build.connection(profile);
      const text = randomBytes(24).toString('hex');
      await repositories.connections.insert(connection);
      await credentials.insert({
        connectionId: connection.id,
        workspaceId: workspace.id,
        generation: 1,
        accessExpiresAt: null,
        sealed: unlocked.value.seal(credentialBinding(connection.id, 1), new Secret(text)),
      });
      sealed.push({ workspaceId: workspace.id, connectionId: connection.id, text });
    }
  }
  log(`${sealed.length} secrets in ${workspaces} workspaces.`);

  /** Without caches, as in a process that has just started. */
  async function canOpen(
    masterKeys: MasterKeyProvider,
    { workspaceId, connectionId, text }: (typeof sealed)[number],
  ) {
    const vault = await sodiumVault({ masterKeys, dataKeys, clock });
    const [unlocked, stored] = [
      await vault.unlock(workspaceId),
      await credentials.find(workspaceId, connectionId),
    ];
    if (!unlocked.ok || !stored) return false;
    const opened = unlocked.value.open(credentialBinding(connectionId, stored.generation), stored.sealed);
    return opened.ok && opened.value.reveal() === text;
  }

  const counts = { reads: 0, failed: 0, slowestMs: 0 };
  let done = false;
  const processes = await Promise.all(
    Array.from({ length: readers }, async (_, nth) => {
      const keys = await openKeys();
      const registration = {
        id: `reader-${nth}`,
        app: 'reader',
        host: 'here',
        pid: nth,
        startedAt: clock.now(),
      };
      const heartbeat = async () => {
        const held = await keys.list();
        await holders.register({ ...registration, masterKeyIds: held.ok ? held.value : [] });
      };
      await heartbeat();
      return { keys, beat: heartbeat };
    }),
  );
  const reading = processes.map(async ({ keys }, nth) => {
    for (let at = nth; !done; at += 7) {
      const one = sealed[at % sealed.length];
      counts.reads += 1;
      if (one && !(await canOpen(keys, one))) counts.failed += 1;
    }
  });
  try {
    for (let round = 1; round <= rotations; round++) {
      list = [generateMasterKey().reveal(), ...list];
      await writeKeys();
      for (const { beat } of processes) await beat();
      const startedMs = performance.now();
      const rotated = await rotateMasterKeys(
        {
          masterKeys: await openKeys(),
          holders,
          clock,
          dataKeys: {
            ...dataKeys,
            rewrap: async (changes) => {
              const stored = await transactions.run(async (tx) => ok(await tx.dataKeys.rewrap(changes)));
              return stored.ok ? stored.value : 0;
            },
          },
        },
        { onProgress: () => undefined, signal: never },
      );
      if (!rotated.ok) throw new Error(rotated.failure.message);
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedMs);
      log(
        `Rotation ${round}: ${rotated.value.rewrapped} data keys, ${Math.round(performance.now() - startedMs)} ms.`,
      );
      // Removes all old keys except the last: a process that has not yet reloaded the file may still need it.
      list = list.slice(0, 2);
    }
  } finally {
    done = true;
    await Promise.all(reading);
  }

  const [newest = ''] = list;
  const uses = await dataKeys.countByMasterKey();
  const oldKeyUses = uses.filter(({ masterKeyId }) => masterKeyId !== newest.split(':')[0]);
  list = [newest];
  await writeKeys();
  const restarted = await openKeys();
  let readable = 0;
  for (const one of sealed) if (await canOpen(restarted, one)) readable += 1;
  return {
    rotations,
    secrets: sealed.length,
    reads_meanwhile: counts.reads,
    failed_reads: counts.failed,
    left_on_old_keys: oldKeyUses.reduce((sum, use) => sum + use.dataKeys, 0),
    read_with_only_the_newest: readable,
    slowest_rotation_ms: Math.round(counts.slowestMs),
  };
}
