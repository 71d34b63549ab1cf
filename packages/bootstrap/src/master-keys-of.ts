import path from 'node:path';
import { Secret, type Result } from '@switchboard/domain';
import { environmentMasterKeys, fileMasterKeys, type MasterKeyProvider } from '@switchboard/vault';
import type { Config } from './config.js';

/** Where the key of a data directory lies. */
export const ownKeyFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => path.join(dataDir, 'master-key');

/** The master keys of the environment, or else of the file that it names, or else of the data directory, made there the first time. */
export function masterKeysOf(
  config: Pick<Config, 'masterKeys' | 'masterKeysFile' | 'dataDir'>,
): Promise<Result<MasterKeyProvider, 'vault.unavailable'>> {
  const { masterKeys, masterKeysFile } = config;
  if (masterKeys !== null) return environmentMasterKeys(new Secret(masterKeys));
  if (masterKeysFile !== null) return fileMasterKeys(masterKeysFile, { make: false });
  return fileMasterKeys(ownKeyFile(config), { make: true });
}
