import { ok, refuse } from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import { openEnvelope, sealEnvelope } from './envelope.js';
import type { MasterKeyIds, MasterKeyProvider } from './master-keys.js';
import type { MasterKeys } from './parse-master-keys.js';
import { sealingKey, type SealingKey } from './sealing-key.js';

const MASTER_KEY_VERSION = 1;

/** Master keys that this process holds, newest first. Wipes the bytes it is given. */
export async function localMasterKeys(keys: MasterKeys): Promise<MasterKeyProvider> {
  const held = await createMasterKeyRing();
  held.add(keys);
  return held.provider;
}

export interface MasterKeyRing {
  readonly provider: MasterKeyProvider;
  /** These are the newest, in this order; what was held before stays behind them. Wipes the bytes it is given. */
  add(keys: MasterKeys): void;
}

/** Nothing may be asked of the provider before the first `take`. */
export async function createMasterKeyRing(): Promise<MasterKeyRing> {
  await sodium.ready;
  const held = new Map<string, SealingKey>();
  let order: readonly string[] = [];
  return {
    add(keys) {
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
    },
  };
}

/** The id stands in a row that others may have written: it is named, and not believed. */
export const refuseUnknownMasterKey = (masterKeyId: string) =>
  refuse('vault.unavailable', `This process does not hold the master key ${JSON.stringify(masterKeyId)}.`);
