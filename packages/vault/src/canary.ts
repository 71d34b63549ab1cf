import {
  refuse,
  Secret,
  type Canaries,
  type DataKeys,
  type Refused,
  type Result,
  type SealBinding,
  type UnlockedVault,
  type Vault,
} from '@switchboard/domain';

const PLACE: SealBinding = { table: 'canaries', row: 'installation', field: 'sealed', generation: 0 };
const SONG = 'The master key opens this database.';

export interface CanaryParts {
  readonly vault: Vault;
  readonly dataKeys: Pick<DataKeys, 'find' | 'insert'>;
  readonly canaries: Canaries;
}

/**
 * Called once by every process at start, before anything is sealed or opened; answers the installation's own vault.
 * On an empty database it makes the installation's data key and the canary. With a master key that did not seal this
 * database it is `vault.unreadable`, and nothing has been written.
 */
export async function checkCanary({
  vault,
  dataKeys,
  canaries,
}: CanaryParts): Promise<Result<UnlockedVault, 'vault.unavailable' | 'vault.unreadable'>> {
  const sealed = await canaries.find();
  // A canary without a data key is a lost key, not a first start: a new one would strand everything sealed so far.
  if (!sealed && !(await dataKeys.find(null))) {
    const minted = await vault.mint(null);
    if (!minted.ok) return minted;
    await dataKeys.insert(minted.value);
  }
  const unlocked = await vault.unlock(null);
  if (!unlocked.ok) return unlocked.failure.code === 'vault.unreadable' ? wrongKey(dataKeys) : unlocked;

  const kept = sealed ?? (await canaries.insert(unlocked.value.seal(PLACE, new Secret(SONG))));
  const opened = unlocked.value.open(PLACE, kept);
  return opened.ok && opened.value.reveal() === SONG ? unlocked : wrongKey(dataKeys);
}

async function wrongKey(dataKeys: Pick<DataKeys, 'find'>): Promise<Refused<'vault.unreadable'>> {
  const found = await dataKeys.find(null);
  const wanted = found
    ? `It was sealed with the key named ${JSON.stringify(found.masterKeyId)}`
    : 'Its data key is gone';
  return refuse(
    'vault.unreadable',
    `The master key does not open this database. ${wanted}; start with the key and the database that belong together.`,
  );
}
