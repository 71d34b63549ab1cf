import { ok, refuse } from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import { openEnvelope, sealEnvelope } from './envelope.js';
import type { MasterKeyIds, MasterKeyProvider } from './master-keys.js';
import type { MasterKeys } from './parse-master-keys.js';
import { sealingKey, type SealingKey } from './sealing-key.js';

const MASTER_KEY_VERSION = 1;

/** Master keys in the memory of this process, newest first. Wipes the input bytes. */
export async function localMasterKeys(keys: MasterKeys): Promise<MasterKeyProvider> {
  const held = await createMasterKeyRing();
  held.add(keys);
  return held.provider;
}

/** The provider is usable only after the first `add`. */
export async function createMasterKeyRing() {
  await sodium.ready;
  const held = new Map<string, SealingKey>();
  let order: readonly string[] = [];
  return {
    /** Puts these keys first, in this order, before the existing ones. Wipes the input bytes. */
    add(keys: MasterKeys) {
      for (const { id, bytes } of keys) {
        if (!held.has(id)) held.set(id, sealingKey(`master:${id}`, MASTER_KEY_VERSION, bytes));
        bytes.fill(0);
      }
      const now = keys.map(({ id }) => id);
      order = [...now, ...order.filter((id) => !now.includes(id))];
    },
    provider: {
      list: async () => ok(order as MasterKeyIds),
      wrap: async (masterKeyId, dataKey, context) => {
        const key = held.get(masterKeyId);
        return key ? ok(sealEnvelope(key, 'dataKey', context, dataKey)) : refuseUnknownMasterKey(masterKeyId);
      },
      unwrap: async (masterKeyId, wrapped, context) => {
        const key = held.get(masterKeyId);
        return key ? openEnvelope(key, 'dataKey', context, wrapped) : refuseUnknownMasterKey(masterKeyId);
      },
    } satisfies MasterKeyProvider,
  };
}

export type MasterKeyRing = Awaited<ReturnType<typeof createMasterKeyRing>>;

/** The ID comes from a row that an attacker may have written: the message quotes it as data. */
export const refuseUnknownMasterKey = (masterKeyId: string) =>
  refuse(
    'vault.unavailable',
    `The master key ${JSON.stringify(masterKeyId)} is not available to this process.`,
  );
