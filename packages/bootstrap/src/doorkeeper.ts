import { identify, type AddressThrottle, type ApiKey } from '@switchboard/domain';
import { withKeysBySql } from '@switchboard/persistence/keys-by-sql';
import { hmacKeysmith, sodiumVault, systemSecrets } from '@switchboard/vault';
import type { Config } from './config.js';
import { masterKeysOf } from './master-keys-of.js';
import { reachDatabase } from './reach-database.js';
import { systemClock as clock } from './system-clock.js';

/** Knows the keys before the service is there. */
export interface Doorkeeper {
  /** Who has this key; `nobody`; or null where it cannot be told yet, because the database was not made or the vault does not open. */
  look(authorization: string): Promise<ApiKey | 'nobody' | null>;
  /** Until then an embedded database goes on running. */
  leave(): Promise<void>;
}

/** The process that started this one asks once, from this machine. */
const unlimited: AddressThrottle = {
  recordFailure: async () => null,
  recordVisit: async () => null,
};

/** Opens the database and nothing else. What is wrong here is told by the service, which needs the same and says why it fails. */
export async function openDoorkeeper(config: Config): Promise<Doorkeeper> {
  const reached = await reachDatabase(config).catch(() => null);
  return {
    async look(authorization) {
      if (!reached) return null;
      return withKeysBySql(reached.url, async ({ apiKeys, dataKeys }) => {
        const masterKeys = await masterKeysOf(config);
        if (!masterKeys.ok) return null;
        const vault = await sodiumVault({ masterKeys: masterKeys.value, dataKeys, clock });
        const installation = await vault.unlock(null);
        if (!installation.ok) return null;
        const keysmith = hmacKeysmith({ pepper: systemSecrets(installation.value).pepper });
        const { result } = await identify(
          { apiKeys, keysmith, clock, addressThrottle: unlimited },
          { authorization, address: '127.0.0.1' },
        );
        return result.ok ? result.value : 'nobody';
      }).catch(() => null);
    },
    leave: async () => reached?.release(),
  };
}
