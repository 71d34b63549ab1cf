import { existsSync } from 'node:fs';
import { ok, type Result } from '@switchboard/domain';
import type { Canaries, Clock, DataKeys, UnlockedVault, Vault } from '@switchboard/domain/ports';
import { checkCanary, sodiumVault, type MasterKeyProvider } from '@switchboard/vault';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { loadMasterKeys, ownKeyFile } from './load-master-keys.js';

interface VaultStorage {
  readonly dataKeys: DataKeys;
  readonly canaries: Canaries;
}

export async function requireMasterKeys(config: Config): Promise<MasterKeyProvider> {
  const masterKeys = await loadMasterKeys(config);
  if (!masterKeys.ok) throw new ConfigurationError(masterKeys.failure.message);
  return masterKeys.value;
}

/** The same, for a command that must not create a master key: it could open nothing. */
export async function requireExistingMasterKeys(config: Config): Promise<MasterKeyProvider> {
  const { masterKeys, masterKeysFile, transit } = config;
  const file = ownKeyFile(config);
  if (masterKeys === null && masterKeysFile === null && transit === null && !existsSync(file))
    throw new ConfigurationError(
      `There is no master key: set SWITCHBOARD_MASTER_KEYS, or put the key of the installation into ${file} (mode 0600).`,
    );
  return requireMasterKeys(config);
}

/** The vault of this database, with its master keys verified before anything else is read or written. */
export async function openVault(
  masterKeys: MasterKeyProvider,
  { dataKeys, canaries }: VaultStorage,
  clock: Clock,
): Promise<{ readonly vault: Vault; readonly installation: UnlockedVault }> {
  const vault = await sodiumVault({ masterKeys, dataKeys, clock });
  const installation = await checkCanary({ vault, masterKeys, dataKeys, canaries });
  if (!installation.ok) throw new ConfigurationError(installation.failure.message);
  return { vault, installation: installation.value };
}

/** Reports every use of the vault, by its outcome: `ok` or the failure code. */
export function observeVault(
  vault: Vault,
  onUse: (operation: 'unlock' | 'seal' | 'open', outcome: string) => void,
): Vault {
  const outcomeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code);
  const observe = (unlocked: UnlockedVault): UnlockedVault => ({
    derive: (purpose) => unlocked.derive(purpose),
    seal(binding, secret) {
      onUse('seal', 'ok');
      return unlocked.seal(binding, secret);
    },
    open(binding, sealed) {
      const opened = unlocked.open(binding, sealed);
      onUse('open', outcomeOf(opened));
      return opened;
    },
  });
  return {
    generateDataKey: (workspaceId) => vault.generateDataKey(workspaceId),
    async unlock(workspaceId) {
      const unlocked = await vault.unlock(workspaceId);
      onUse('unlock', outcomeOf(unlocked));
      return unlocked.ok ? ok(observe(unlocked.value)) : unlocked;
    },
  };
}
