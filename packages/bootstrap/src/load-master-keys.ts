import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ok, Secret, type Result } from '@switchboard/domain';
import type { Outbound } from '@switchboard/domain/ports';
import {
  environmentMasterKeys,
  fileMasterKeys,
  compositeMasterKeys,
  transitMasterKeys,
  type MasterKeyProvider,
} from '@switchboard/vault';
import type { Config, TransitConfig } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { systemClock } from './system-clock.js';

type KeyConfig = Pick<Config, 'masterKeys' | 'masterKeysFile' | 'dataDir' | 'transit' | 'version'>;
type Keys = Promise<Result<MasterKeyProvider, 'vault.unavailable'>>;

/** Represents the keys of the key service in the list of keys. */
const TRANSIT = 'transit';

/** The file of the generated master key. */
export const ownKeyFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => path.join(dataDir, 'master-key');

/**
 * The master keys from the environment, or from the file that it names, or from the data directory, where the
 * first start creates one. The keys of a key service are the newest, unless the list sets their position.
 */
export async function loadMasterKeys(config: KeyConfig): Keys {
  const { masterKeys, masterKeysFile, transit, version } = config;
  const entries = masterKeys?.split(',').map((entry) => entry.trim()) ?? [];
  if (!transit) {
    if (entries.includes(TRANSIT))
      throw new ConfigurationError(
        'SWITCHBOARD_MASTER_KEYS contains transit, but SWITCHBOARD_TRANSIT_URL is not set.',
      );
    if (masterKeys !== null) return environmentMasterKeys(new Secret(masterKeys));
    if (masterKeysFile !== null) return fileMasterKeys(masterKeysFile, { createIfMissing: false });
    return fileMasterKeys(ownKeyFile(config), { createIfMissing: true });
  }
  const service = await keyService(transit, version);
  const at = entries.indexOf(TRANSIT);
  const before = await localKeys(entries.slice(0, Math.max(at, 0)));
  const after = await localKeys(entries.slice(at + 1));
  const file =
    masterKeysFile === null ? null : await fileMasterKeys(masterKeysFile, { createIfMissing: false });
  const parts: MasterKeyProvider[] = [];
  for (const part of [before, ok(service), after, file]) {
    if (part && !part.ok) return part;
    if (part) parts.push(part.value);
  }
  return ok(compositeMasterKeys(parts, service));
}

const localKeys = (entries: readonly string[]) =>
  entries.length === 0 ? null : environmentMasterKeys(new Secret(entries.join(',')));

/** Loads the HTTP client only for a key service: an MCP client waits for its tools until the keys are loaded. */
async function keyService({ token, tokenFile, url, ...rest }: TransitConfig, version: string) {
  const { undiciOutbound } = await import('@switchboard/egress');
  // The operator configured this host: it may have a private address, and only it.
  const { host } = new URL(url);
  const outbound: Outbound = undiciOutbound({
    allowPrivateHosts: [host],
    userAgent: `Switchboard/${version}`,
  });
  return transitMasterKeys({
    ...rest,
    url,
    outbound,
    clock: systemClock,
    token: async () => new Secret(token ?? (await readFile(tokenFile ?? '', 'utf8')).trim()),
  });
}
