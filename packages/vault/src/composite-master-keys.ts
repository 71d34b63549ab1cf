import { ok } from '@switchboard/domain';
import { refuseUnknownMasterKey } from './local-master-keys.js';
import type { MasterKeyIds, MasterKeyProvider } from './master-keys.js';
import { TRANSIT_PREFIX } from './transit-master-keys.js';

/**
 * Combines several key sources into one list, newest first. This is how an installation migrates between
 * local keys and a key service.
 */
export function compositeMasterKeys(
  providers: readonly MasterKeyProvider[],
  transit: MasterKeyProvider,
): MasterKeyProvider {
  /**
   * Selects the key service by the key's name prefix, so that an outage of the service does not affect local
   * keys.
   */
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
      return (
        (await findProvider(masterKeyId))?.wrap(masterKeyId, ...rest) ?? refuseUnknownMasterKey(masterKeyId)
      );
    },
    async unwrap(masterKeyId, ...rest) {
      return (
        (await findProvider(masterKeyId))?.unwrap(masterKeyId, ...rest) ?? refuseUnknownMasterKey(masterKeyId)
      );
    },
  };
}
