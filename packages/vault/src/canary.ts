import { ok, refuse, Secret, type Refusal, type Result } from '@switchboard/domain';
import type { Canaries, DataKeys, SealBinding, UnlockedVault, Vault } from '@switchboard/domain/ports';
import type { MasterKeyProvider } from './master-keys.js';

const CANARY_BINDING: SealBinding = {
  table: 'canaries',
  row: 'installation',
  field: 'sealed',
  generation: 0,
};
const CANARY_TEXT = 'The master key opens this database.';

interface CanaryDeps {
  readonly vault: Vault;
  readonly masterKeys: Pick<MasterKeyProvider, 'list'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'insert' | 'countByMasterKey'>;
  readonly canaries: Canaries;
}

type CanaryFailureCode = 'vault.unavailable' | 'vault.unreadable';

/**
 * Every process calls this once at startup, before it seals or opens anything; returns the installation's own
 * vault. On an empty database it creates the installation's data key and the canary. With master keys that
 * did not seal this database, or with only some of those that did, it returns `vault.unreadable` and writes
 * nothing.
 */
export async function checkCanary({
  vault,
  masterKeys,
  dataKeys,
  canaries,
}: CanaryDeps): Promise<Result<UnlockedVault, CanaryFailureCode>> {
  const sealed = await canaries.find();
  // A canary without a data key means a lost key, not a first start: a new key would make all sealed data
  // unreadable.
  if (!sealed && !(await dataKeys.find(null))) {
    const minted = await vault.generateDataKey(null);
    if (!minted.ok) return minted;
    await dataKeys.insert(minted.value);
  }
  const held = await checkMasterKeysHeld(masterKeys, dataKeys);
  if (!held.ok) return held;
  const unlocked = await vault.unlock(null);
  if (!unlocked.ok) return unlocked.failure.code === 'vault.unreadable' ? refuseWrongKey(dataKeys) : unlocked;

  const storedCanary =
    sealed ?? (await canaries.insert(unlocked.value.seal(CANARY_BINDING, new Secret(CANARY_TEXT))));
  return isCanaryReadable(unlocked.value, storedCanary) ? unlocked : refuseWrongKey(dataKeys);
}

/** Whether the canary opens with the installation's vault; also checked after every rotation. */
export function isCanaryReadable(installation: UnlockedVault, sealed: Uint8Array): boolean {
  const opened = installation.open(CANARY_BINDING, sealed);
  return opened.ok && opened.value.reveal() === CANARY_TEXT;
}

/** A process that lacks one of these keys would fail for some workspaces only. */
async function checkMasterKeysHeld(
  masterKeys: Pick<MasterKeyProvider, 'list'>,
  dataKeys: Pick<DataKeys, 'find' | 'countByMasterKey'>,
): Promise<Result<undefined, CanaryFailureCode>> {
  const uses = await dataKeys.countByMasterKey();
  const held = await masterKeys.list();
  if (!held.ok) return held;
  const missing = uses.filter(({ masterKeyId }) => !held.value.includes(masterKeyId));
  if (missing.length === 0) return ok();
  const installation = await dataKeys.find(null);
  if (missing.some(({ masterKeyId }) => masterKeyId === installation?.masterKeyId))
    return refuseWrongKey(dataKeys);
  const missingNames = missing.map(
    ({ masterKeyId, dataKeys: count }) => `${JSON.stringify(masterKeyId)} (${count})`,
  );
  return refuse(
    'vault.unreadable',
    `Data keys of this database are still wrapped by missing master keys: ${missingNames.join(', ')}. Provide these keys as well, then run \`switchboard vault rotate\` to retire them.`,
  );
}

async function refuseWrongKey(dataKeys: Pick<DataKeys, 'find'>): Promise<Refusal<'vault.unreadable'>> {
  const found = await dataKeys.find(null);
  const expectedKey = found
    ? `The database was sealed with the master key ${JSON.stringify(found.masterKeyId)}`
    : 'The installation’s data key is missing';
  return refuse(
    'vault.unreadable',
    `The master key does not open this database. ${expectedKey}. Start with the master key that belongs to this database.`,
  );
}
