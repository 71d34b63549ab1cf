import { ok, type Result, type Secret } from '@switchboard/domain';
import { localMasterKeys } from './local-master-keys.js';
import type { MasterKeyProvider } from './master-keys.js';
import { parseMasterKeys } from './parse-master-keys.js';

/** Parses `SWITCHBOARD_MASTER_KEYS`: `id:base64` of 32 bytes, newest first, separated by commas. */
export async function environmentMasterKeys(
  text: Secret,
): Promise<Result<MasterKeyProvider, 'vault.unavailable'>> {
  const keys = parseMasterKeys('SWITCHBOARD_MASTER_KEYS', text);
  return keys.ok ? ok(await localMasterKeys(keys.value)) : keys;
}
