import { ok } from '@switchboard/domain';
import { refuseUnknownMasterKey } from './local-master-keys.js';
import type { MasterKeyIds, MasterKeyProvider } from './master-keys.js';
import { TRANSIT_PREFIX } from './transit-master-keys.js';

/** Keys from several places as one list, newest first: how an installation moves from its own keys to a key service, or back. */
export function compositeMasterKeys(
  providers: readonly MasterKeyProvider[],
  transit: MasterKeyProvider,
): MasterKeyProvider {
  /** The key service's own are told by their names, so that its silence is nobody else's. */
  async function findProvider(masterKeyId: string): Promise<MasterKeyProvider | null> {
    if (masterKeyId.startsWith(TRANSIT_PREFIX)) return transit;
    for (const part of providers) {
      if (part === transit) continue;
      const held = await part.list();
      if (held.ok && held.value.includes(masterKeyId)) return part;
    }
    return null;
  }

  return {
    async list() {
      const all: string[] = [];
      for (const part of providers) {
        const held = await part.list();
        if (!held.ok) return held;
        all.push(...held.value);
      }
      return ok(all as unknown as MasterKeyIds);
    },
    async wrap(masterKeyId, ...rest) {
      return (await findProvider(masterKeyId))?.wrap(masterKeyId, ...rest) ?? refuseUnknownMasterKey(masterKeyId);
    },
    async unwrap(masterKeyId, ...rest) {
      return (await findProvider(masterKeyId))?.unwrap(masterKeyId, ...rest) ?? refuseUnknownMasterKey(masterKeyId);
    },
  };
}
