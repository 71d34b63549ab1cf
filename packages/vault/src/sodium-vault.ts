import { randomBytes } from 'node:crypto';
import {
  ok,
  refuse,
  type Clock,
  type DataKeys,
  type Result,
  type UnlockedVault,
  type Vault,
  type WorkspaceId,
} from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import { DATA_KEY_BYTES, encodeDataKeyContext, unwrapDataKey } from './data-key.js';
import { refuseUnreadable } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';
import { sealingKey } from './sealing-key.js';
import { singleFlightCache } from './single-flight-cache.js';
import { unlockedVault } from './unlocked-vault.js';

const FIRST_VERSION = 1;
const UNLOCKED_FOR_MS = 5 * 60 * 1000;
const UNLOCKED_MAX = 10_000;

export interface SodiumVaultDeps {
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What is wiped: a data key as soon as its sub-keys are derived, the sub-keys when nobody holds them any more. What
 * cannot be: the text of an opened secret, and the copies that libsodium's WebAssembly memory keeps of a key it used.
 */
export async function sodiumVault({ masterKeys, dataKeys, clock }: SodiumVaultDeps): Promise<Vault> {
  await sodium.ready;
  const unlockedVaults = singleFlightCache<UnlockedVault, 'vault.unavailable' | 'vault.unreadable'>(clock, {
    ttlMs: UNLOCKED_FOR_MS,
    max: UNLOCKED_MAX,
  });

  async function openVault(workspaceId: WorkspaceId | null) {
    const found = await dataKeys.find(workspaceId);
    if (!found) return refuseUnreadable();
    // Whose row it is does not say whose key it is: what was moved opens only where it belongs.
    const dataKey = await unwrapDataKey(masterKeys, { ...found, workspaceId });
    if (!dataKey.ok) return dataKey;
    const key = sealingKey(`data:${workspaceId ?? ''}`, found.version, dataKey.value);
    dataKey.value.fill(0);
    return ok(unlockedVault(workspaceId, key));
  }

  /**
   * The master key that everybody holds; on an empty database, the newest. It is tried before it wraps anything: another
   * one of the same name would make what nobody else opens.
   */
  async function getWrappingMasterKey(): Promise<Result<string, 'vault.unavailable'>> {
    const installation = await dataKeys.find(null);
    if (!installation) {
      const held = await masterKeys.list();
      return held.ok ? ok(held.value[0]) : held;
    }
    const { masterKeyId } = installation;
    const opened = await unwrapDataKey(masterKeys, installation);
    if (opened.ok) {
      opened.value.fill(0);
      return ok(masterKeyId);
    }
    const { code, message } = opened.failure;
    return refuse(
      'vault.unavailable',
      code === 'vault.unavailable'
        ? message
        : `The master key that this process holds as ${JSON.stringify(masterKeyId)} does not open this database.`,
    );
  }

  return {
    async generateDataKey(workspaceId) {
      const masterKeyId = await getWrappingMasterKey();
      if (!masterKeyId.ok) return masterKeyId;
      const key = { workspaceId, version: FIRST_VERSION, masterKeyId: masterKeyId.value };
      const dataKey = randomBytes(DATA_KEY_BYTES);
      const wrapped = await masterKeys.wrap(key.masterKeyId, dataKey, encodeDataKeyContext(key));
      dataKey.fill(0);
      return wrapped.ok ? ok({ ...key, wrapped: wrapped.value }) : wrapped;
    },

    unlock: (workspaceId) => unlockedVaults.getOrLoad(workspaceId ?? '', () => openVault(workspaceId)),
  };
}
