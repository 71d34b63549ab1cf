import path from 'node:path';
import {
  Secret,
  type Canaries,
  type Clock,
  type DataKeys,
  type UnlockedVault,
  type Vault,
} from '@switchboard/domain';
import { checkCanary, environmentMasterKeys, fileMasterKeys, sodiumVault } from '@switchboard/vault';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';

/** The vault of this database, proven to have the right master key before anything else is read or written. */
export async function openVault(
  config: Config,
  storage: { readonly dataKeys: DataKeys; readonly canaries: Canaries },
  clock: Clock,
): Promise<{ readonly vault: Vault; readonly installation: UnlockedVault }> {
  const masterKeys =
    config.masterKeys === null
      ? await fileMasterKeys(path.join(config.dataDir, 'master-key'))
      : await environmentMasterKeys(new Secret(config.masterKeys));
  if (!masterKeys.ok) throw new ConfigurationError(masterKeys.failure.message);
  const vault = await sodiumVault({ masterKeys: masterKeys.value, dataKeys: storage.dataKeys, clock });
  const installation = await checkCanary({ vault, ...storage });
  if (!installation.ok) throw new ConfigurationError(installation.failure.message);
  return { vault, installation: installation.value };
}
