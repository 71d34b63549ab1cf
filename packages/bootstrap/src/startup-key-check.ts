import { identify, type ApiKey } from '@switchboard/domain/access';
import type { AddressThrottle } from '@switchboard/domain/ports';
import { withKeyLookups } from '@switchboard/persistence/keys-by-sql';
import { hmacKeyHasher, sodiumVault, systemSecrets } from '@switchboard/vault';
import type { Config } from './config.js';
import { loadMasterKeys } from './load-master-keys.js';
import { acquireDatabase } from './acquire-database.js';
import { systemClock as clock } from './system-clock.js';

/** The parent process sends a single request, from this machine. */
const allow = async () => null;
const unthrottled: AddressThrottle = {
  recordFailure: allow,
  recordVisit: allow,
  recordSignIn: allow,
  recordRegistration: allow,
};

/**
 * Verifies keys before the service is open. Opens only the database. Errors are left to the service, which has the same dependencies and reports the
 * reason.
 */
export async function openStartupKeyCheck(config: Config) {
  const database = await acquireDatabase(config).catch(() => null);
  return {
    /**
     * The key; `invalid`; or null when it cannot be determined yet, because the database does not exist or the
     * vault cannot be decrypted.
     */
    async verify(authorization: string): Promise<ApiKey | 'invalid' | null> {
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
        return result.ok ? result.value : 'invalid';
      }).catch(() => null);
    },
    /** An embedded database keeps running until then. */
    release: async () => database?.release(),
  };
}
