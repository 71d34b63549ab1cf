import {
  type Canaries,
  type Clock,
  type DataKeys,
  type UnlockedVault,
  type Vault,
} from '@switchboard/domain';
import { checkCanary, sodiumVault } from '@switchboard/vault';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { masterKeysOf } from './master-keys-of.js';

/** The vault of this database, proven to have the right master key before anything else is read or written. */
export async function openVault(
  config: Config,
  storage: { readonly dataKeys: DataKeys; readonly canaries: Canaries },
  clock: Clock,
): Promise<{ readonly vault: Vault; readonly installation: UnlockedVault }> {
  const masterKeys = await masterKeysOf(config);
  if (!masterKeys.ok) throw new ConfigurationError(masterKeys.failure.message);
  const vault = await sodiumVault({ masterKeys: masterKeys.value, dataKeys: storage.dataKeys, clock });
  const installation = await checkCanary({ vault, ...storage });
  if (!installation.ok) throw new ConfigurationError(installation.failure.message);
  return { vault, installation: installation.value };
}
