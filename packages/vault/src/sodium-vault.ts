import { randomBytes, hkdfSync } from 'node:crypto';
import { ok, refuse, type Result, type WorkspaceId, Secret } from '@switchboard/domain';
import type { Clock, DataKeys, UnlockedVault, Vault } from '@switchboard/domain/ports';
import sodium from 'libsodium-wrappers';
import { DATA_KEY_BYTES, encodeDataKeyContext, unwrapDataKey } from './data-key.js';
import { refuseUnreadable, openEnvelope, sealEnvelope } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';
import { sealingKey, type SealingKey } from './sealing-key.js';
import { singleFlightCache } from './single-flight-cache.js';
import { encodeBinding } from './encode-binding.js';

const FIRST_VERSION = 1;
const UNLOCKED_FOR_MS = 5 * 60 * 1000;
const UNLOCKED_MAX = 10_000;

interface SodiumVaultDeps {
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Wiped: a data key as soon as its sub-keys are derived, and the sub-keys when they are garbage collected.
 * Not wiped: the text of an opened secret, and copies of used keys in libsodium's WebAssembly memory.
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
    // The row's owner does not prove the key's owner: a moved key opens only with its own context.
    const dataKey = await unwrapDataKey(masterKeys, { ...found, workspaceId });
    if (!dataKey.ok) return dataKey;
    const key = sealingKey(`data:${workspaceId ?? ''}`, found.version, dataKey.value);
    dataKey.value.fill(0);
    return ok(unlockedVault(workspaceId, key));
  }

  /**
   * The master key that every process has; on an empty database, the newest. It is verified before it wraps
   * anything: another key of the same name would wrap keys that no other process can open.
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
        : `The master key ${JSON.stringify(masterKeyId)} of this process does not match this database.`,
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

/** Seals and opens secrets with one workspace's data key. */
const unlockedVault = (workspaceId: WorkspaceId | null, key: SealingKey): UnlockedVault => ({
  seal(binding, secret) {
    const text = secret.reveal();
    if (!text.isWellFormed()) throw new Error('a secret with an unpaired surrogate cannot be restored');
    const bytes = Buffer.from(text, 'utf8');
    const sealed = sealEnvelope(key, 'record', encodeBinding(workspaceId, binding), bytes);
    bytes.fill(0);
    return sealed;
  },

  open(binding, sealed) {
    const opened = openEnvelope(key, 'record', encodeBinding(workspaceId, binding), sealed);
    if (!opened.ok) return opened;
    const { buffer, byteOffset, length } = opened.value;
    const secret = new Secret(Buffer.from(buffer, byteOffset, length).toString('utf8'));
    opened.value.fill(0);
    return ok(secret);
  },

  derive: (purpose) => new Uint8Array(hkdfSync('sha256', key.derivation, '', `swb-derive-1:${purpose}`, 32)),
});
