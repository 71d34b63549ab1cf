import { ok, type Result } from '@switchboard/domain';
import type {
  Canaries,
  Clock,
  DataKeys,
  RegisteredProcess,
  ProcessRegistry,
  DataKeyRewrap,
  Transactions,
} from '@switchboard/domain/ports';
import type { SealedSample } from '@switchboard/persistence';
import {
  rotateMasterKeys,
  isCanaryReadable,
  sodiumVault,
  type MasterKeyProvider,
  type RotationResult,
  type RotationFailure,
  type RotationProgress,
} from '@switchboard/vault';

interface RotateOptions {
  readonly onProgress: (progress: RotationProgress) => void;
  readonly signal: AbortSignal;
}

export interface KeyringStatus {
  /** The keys that this process holds, newest first, and then those that only the database names. */
  readonly masterKeys: readonly MasterKeyStatus[];
  /** The newest key that this process holds. */
  readonly newest: string;
  /** The key that wraps new data keys. */
  readonly wrapping: string;
  /** The other running processes, and which of the keys held here they lack. */
  readonly processes: readonly (RegisteredProcess & { readonly lacks: readonly string[] })[];
  readonly canary: 'ok' | 'unreadable';
}

interface MasterKeyStatus {
  readonly id: string;
  readonly held: boolean;
  readonly dataKeys: number;
  /** When the first of the data keys was wrapped with it; null when none is. */
  readonly since: Date | null;
}

export interface RotationReport extends RotationResult {
  /** The number of sampled secrets, and how many of them could not be decrypted. */
  readonly secretsRead: number;
  readonly secretsUnreadable: number;
  readonly canary: 'ok' | 'unreadable';
  /** Wrapped nothing any more at the time of counting. */
  readonly removable: readonly string[];
  /** Still wrap something: unreadable data keys. */
  readonly stillNeeded: readonly string[];
}

interface KeyringDependencies {
  readonly self: string;
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: DataKeys;
  readonly canaries: Canaries;
  readonly holders: ProcessRegistry;
  readonly transactions: Transactions;
  readonly clock: Clock;
  readonly samples: (limit: number) => Promise<readonly SealedSample[]>;
}

const SAMPLES = 50;

export function keyring(dependencies: KeyringDependencies) {
  const { self, masterKeys, dataKeys, canaries, holders, transactions, clock } = dependencies;

  const transactionalDataKeys = {
    ...dataKeys,
    rewrap: async (changes: readonly DataKeyRewrap[]) => {
      const stored = await transactions.run(async (tx) => ok(await tx.dataKeys.rewrap(changes)));
      return stored.ok ? stored.value : 0;
    },
  };

  /** Without caches: whether the database can be decrypted in its current state. */
  async function checkOpens() {
    const vault = await sodiumVault({ masterKeys, dataKeys, clock });
    const [installation, canary] = [await vault.unlock(null), await canaries.find()];
    const isReadable = installation.ok && canary !== null && isCanaryReadable(installation.value, canary);
    return { vault, canary: isReadable ? ('ok' as const) : ('unreadable' as const) };
  }

  async function status(): Promise<Result<KeyringStatus, 'vault.unavailable'>> {
    const held = await masterKeys.list();
    if (!held.ok) return held;
    const [uses, installation, all, { canary }] = await Promise.all([
      dataKeys.countByMasterKey(),
      dataKeys.find(null),
      holders.list(),
      checkOpens(),
    ]);
    const ids = [...new Set([...held.value, ...uses.map(({ masterKeyId }) => masterKeyId)])];
    return ok({
      masterKeys: ids.map((id) => {
        const use = uses.find(({ masterKeyId }) => masterKeyId === id);
        return {
          id,
          held: held.value.includes(id),
          dataKeys: use?.dataKeys ?? 0,
          since: use?.since ?? null,
        };
      }),
      newest: held.value[0],
      wrapping: installation?.masterKeyId ?? held.value[0],
      processes: all
        .filter(({ id }) => id !== self)
        .map((holder) => ({
          ...holder,
          lacks: held.value.filter((id) => !holder.masterKeyIds.includes(id)),
        })),
      canary,
    });
  }

  async function rotate(options: RotateOptions): Promise<Result<RotationReport, RotationFailure>> {
    const rotation = await rotateMasterKeys(
      { masterKeys, dataKeys: transactionalDataKeys, holders, clock },
      options,
    );
    if (!rotation.ok) return rotation;
    const { vault, canary } = await checkOpens();
    const samples = await dependencies.samples(SAMPLES);
    let secretsUnreadable = 0;
    for (const { workspaceId, binding, sealed } of samples) {
      const unlocked = await vault.unlock(workspaceId);
      if (!unlocked.ok || !unlocked.value.open(binding, sealed).ok) secretsUnreadable += 1;
    }
    const after = await status();
    if (!after.ok) return after;
    const others = after.value.masterKeys.filter(({ id }) => id !== rotation.value.masterKeyId);
    const named = (used: boolean) => others.filter((key) => key.dataKeys > 0 === used).map(({ id }) => id);
    return ok({
      ...rotation.value,
      canary,
      secretsRead: samples.length,
      secretsUnreadable,
      removable: named(false),
      stillNeeded: named(true),
    });
  }

  return {
    status,
    /**
     * Rewraps every data key with the newest master key, and reads a sample of the sealed secrets. See
     * `rotateMasterKeys`.
     */
    rotate,
  };
}

/** Operations on master keys for an operator. */
export type Keyring = ReturnType<typeof keyring>;
