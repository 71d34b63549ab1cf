import path from 'node:path';
import { Secret } from '@switchboard/domain';
import { environmentMasterKeys, fileMasterKeys } from '@switchboard/vault';
import type { Config } from './config.js';

/** The master keys of the environment, or else the one of the data directory. */
export const masterKeysOf = ({ masterKeys, dataDir }: Pick<Config, 'masterKeys' | 'dataDir'>) =>
  masterKeys === null
    ? fileMasterKeys(path.join(dataDir, 'master-key'))
    : environmentMasterKeys(new Secret(masterKeys));
