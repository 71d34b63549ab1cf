import { identify, type AddressThrottle, type ApiKey } from '@switchboard/domain';
import { withKeyLookups } from '@switchboard/persistence/keys-by-sql';
import { hmacKeyHasher, sodiumVault, systemSecrets } from '@switchboard/vault';
import type { Config } from './config.js';
import { loadMasterKeys } from './load-master-keys.js';
import { acquireDatabase } from './acquire-database.js';
import { systemClock as clock } from './system-clock.js';

/** Knows the keys before the service is there. */
export interface StartupKeyCheck {
  /** Who has this key; `nobody`; or null where it cannot be told yet, because the database was not made or the vault does not open. */
  verify(authorization: string): Promise<ApiKey | 'nobody' | null>;
  /** Until then an embedded database goes on running. */
  release(): Promise<void>;
}

/** The process that started this one asks once, from this machine. */
const unthrottled: AddressThrottle = {
  recordFailure: async () => null,
  recordVisit: async () => null,
};

/** Opens the database and nothing else. What is wrong here is told by the service, which needs the same and says why it fails. */
export async function openStartupKeyCheck(config: Config): Promise<StartupKeyCheck> {
  const database = await acquireDatabase(config).catch(() => null);
  return {
    async verify(authorization) {
      if (!database) return null;
      return withKeyLookups(database.url, async ({ apiKeys, dataKeys }) => {
        const masterKeys = await loadMasterKeys(config);
        if (!masterKeys.ok) return null;
        const vault = await sodiumVault({ masterKeys: masterKeys.value, dataKeys, clock });
        const installation = await vault.unlock(null);
        if (!installation.ok) return null;
        const keyHasher = hmacKeyHasher({ pepper: systemSecrets(installation.value).pepper });
        const { result } = await identify(
          { apiKeys, keyHasher, clock, addressThrottle: unthrottled },
          { authorization, address: '127.0.0.1' },
        );
        return result.ok ? result.value : 'nobody';
      }).catch(() => null);
    },
    release: async () => database?.release(),
  };
}
