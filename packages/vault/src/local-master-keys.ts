import { ok } from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import { openEnvelope, sealEnvelope, unreadable } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';
import type { MasterKey, MasterKeys } from './parse-master-keys.js';
import { sealingKey } from './sealing-key.js';

const MASTER_KEY_VERSION = 1;

/** Master keys that this process holds, newest first. Wipes the bytes it is given. */
export async function localMasterKeys([newest, ...older]: MasterKeys): Promise<MasterKeyProvider> {
  await sodium.ready;
  const ready = ({ id, bytes }: MasterKey) => {
    const key = sealingKey(`master:${id}`, MASTER_KEY_VERSION, bytes);
    bytes.fill(0);
    return key;
  };
  const current = ready(newest);
  const held = new Map([[newest.id, current], ...older.map((key) => [key.id, ready(key)] as const)]);

  return {
    current: async () => ok(newest.id),
    wrap: async (dataKey, context) =>
      ok({ masterKeyId: newest.id, wrapped: sealEnvelope(current, 'dataKey', context, dataKey) }),
    unwrap: async (masterKeyId, wrapped, context) => {
      const key = held.get(masterKeyId);
      return key ? openEnvelope(key, 'dataKey', context, wrapped) : unreadable();
    },
  };
}
