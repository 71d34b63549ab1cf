import { randomBytes } from 'node:crypto';
import {
  ok,
  type Clock,
  type DataKeys,
  type UnlockedVault,
  type Vault,
  type WorkspaceId,
} from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import type { MasterKeyProvider } from './master-keys.js';
import { placeBytes } from './place.js';
import { sealingKey } from './sealing-key.js';
import { shortMemory } from './short-memory.js';
import { unlockedVault } from './unlocked-vault.js';
import { unreadable } from './envelope.js';

const DATA_KEY_BYTES = 32;
const FIRST_VERSION = 1;
const UNLOCKED_FOR_MS = 5 * 60 * 1000;
const UNLOCKED_MAX = 10_000;

export interface SodiumVaultParts {
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What is wiped: a data key as soon as its sub-keys are derived, the sub-keys when nobody holds them any more. What
 * cannot be: the text of an opened secret, and the copies that libsodium's WebAssembly memory keeps of a key it used.
 */
export async function sodiumVault({ masterKeys, dataKeys, clock }: SodiumVaultParts): Promise<Vault> {
  await sodium.ready;
  const unlocked = shortMemory<UnlockedVault, 'vault.unavailable' | 'vault.unreadable'>(clock, {
    lifeMs: UNLOCKED_FOR_MS,
    max: UNLOCKED_MAX,
  });

  async function unwrap(workspaceId: WorkspaceId | null) {
    const found = await dataKeys.find(workspaceId);
    if (!found) return unreadable();
    const context = dataKeyPlace(workspaceId, found.version);
    const dataKey = await masterKeys.unwrap(found.masterKeyId, found.wrapped, context);
    if (!dataKey.ok) return dataKey;
    if (dataKey.value.length !== DATA_KEY_BYTES) return unreadable();
    const key = sealingKey(`data:${workspaceId ?? ''}`, found.version, dataKey.value);
    dataKey.value.fill(0);
    return ok(unlockedVault(workspaceId, key));
  }

  return {
    async mint(workspaceId) {
      const dataKey = randomBytes(DATA_KEY_BYTES);
      const wrapped = await masterKeys.wrap(dataKey, dataKeyPlace(workspaceId, FIRST_VERSION));
      dataKey.fill(0);
      return wrapped.ok ? ok({ workspaceId, version: FIRST_VERSION, ...wrapped.value }) : wrapped;
    },

    unlock: (workspaceId) => unlocked.recall(workspaceId ?? '', () => unwrap(workspaceId)),
  };
}

const dataKeyPlace = (workspaceId: WorkspaceId | null, version: number): Uint8Array =>
  placeBytes(workspaceId, {
    table: 'data_keys',
    row: workspaceId ?? '',
    field: 'wrapped',
    generation: version,
  });
