import {
  ok,
  refuse,
  Secret,
  type Canaries,
  type DataKeys,
  type Refusal,
  type Result,
  type SealBinding,
  type UnlockedVault,
  type Vault,
} from '@switchboard/domain';
import type { MasterKeyProvider } from './master-keys.js';

const CANARY_BINDING: SealBinding = {
  table: 'canaries',
  row: 'installation',
  field: 'sealed',
  generation: 0,
};
const CANARY_TEXT = 'The master key opens this database.';

export interface CanaryDeps {
  readonly vault: Vault;
  readonly masterKeys: Pick<MasterKeyProvider, 'list'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'insert' | 'countByMasterKey'>;
  readonly canaries: Canaries;
}

type CanaryFailureCode = 'vault.unavailable' | 'vault.unreadable';

/**
 * Called once by every process at start, before anything is sealed or opened; answers the installation's own vault.
 * On an empty database it makes the installation's data key and the canary. With master keys that did not seal this
 * database, or not all of those that did, it is `vault.unreadable`, and nothing has been written.
 */
export async function checkCanary({
  vault,
  masterKeys,
  dataKeys,
  canaries,
}: CanaryDeps): Promise<Result<UnlockedVault, CanaryFailureCode>> {
  const sealed = await canaries.find();
  // A canary without a data key is a lost key, not a first start: a new one would strand everything sealed so far.
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

/** Whether the canary opens with the installation's vault: also after every rotation. */
export function isCanaryReadable(installation: UnlockedVault, sealed: Uint8Array): boolean {
  const opened = installation.open(CANARY_BINDING, sealed);
  return opened.ok && opened.value.reveal() === CANARY_TEXT;
}

/** A process that lacked one of them would fail for some workspaces and not for others. */
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
    `Data keys of this database are still wrapped by master keys that are not here: ${missingNames.join(', ')}. Start with these as well; \`switchboard vault rotate\` makes them superfluous.`,
  );
}

async function refuseWrongKey(dataKeys: Pick<DataKeys, 'find'>): Promise<Refusal<'vault.unreadable'>> {
  const found = await dataKeys.find(null);
  const expectedKey = found
    ? `It was sealed with the key named ${JSON.stringify(found.masterKeyId)}`
    : 'Its data key is gone';
  return refuse(
    'vault.unreadable',
    `The master key does not open this database. ${expectedKey}; start with the key and the database that belong together.`,
  );
}
