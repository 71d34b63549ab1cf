import { beforeEach, expect, test } from '@jest/globals';
import { Secret, type WorkspaceId } from '@switchboard/domain';
import { checkCanary } from './canary.js';
import { environmentMasterKeys } from './environment-master-keys.js';
import { generateMasterKey } from './generate-master-key.js';
import { sodiumVault } from './sodium-vault.js';
import { systemSecrets } from './system-secrets.js';
import { memoryCanaries, memoryDataKeys, manualClock } from './testing.js';

const right = generateMasterKey().reveal();
const A = 'wsp_01j0000000000000000000000a' as WorkspaceId;
let dataKeys: ReturnType<typeof memoryDataKeys>;
let canaries: ReturnType<typeof memoryCanaries>;

beforeEach(() => {
  dataKeys = memoryDataKeys();
  canaries = memoryCanaries();
});

/** Simulates the start of one process. */
const start = async (masterKeys: string) => {
  const keys = await environmentMasterKeys(new Secret(masterKeys));
  if (!keys.ok) throw new Error(keys.failure.message);
  const vault = await sodiumVault({ masterKeys: keys.value, dataKeys, clock: manualClock() });
  return checkCanary({ vault, masterKeys: keys.value, dataKeys, canaries });
};
const contents = () => structuredClone([[...dataKeys.rows.values()], canaries.sealed]);

test('the first start creates key and canary, and later starts change nothing', async () => {
  expect((await start(right)).ok).toBe(true);
  const after = contents();
  expect(canaries.sealed).not.toBeNull();
  expect(dataKeys.rows.size).toBe(1);
  expect((await start(right)).ok).toBe(true);
  expect(contents()).toEqual(after);
});

test('a wrong master key is rejected with the name of the right one, and writes nothing', async () => {
  await start(right);
  const before = contents();
  const [id = '', bytes = ''] = right.split(':');
  const wrongBytes = `${id}:${generateMasterKey().reveal().split(':')[1]}`;
  for (const wrong of [generateMasterKey().reveal(), wrongBytes]) {
    const refused = await start(wrong);
    expect(refused).toMatchObject({ ok: false, failure: { code: 'vault.unreadable' } });
    const message = refused.ok ? '' : refused.failure.message;
    expect(message).toContain(id);
    for (const secret of [bytes, wrong.split(':')[1] ?? '']) expect(message).not.toContain(secret);
  }
  expect(contents()).toEqual(before);
  expect((await start(right)).ok).toBe(true);
});

test('a newer master key before the right one is accepted', async () => {
  await start(right);
  expect((await start(`${generateMasterKey().reveal()},${right}`)).ok).toBe(true);
});

test('a process that has the installation’s master key but lacks another key in use does not start', async () => {
  await start(right);
  const installation = dataKeys.rows.get(null);
  if (!installation) throw new Error('made above');
  dataKeys.rows.set(A, { ...installation, workspaceId: A, masterKeyId: 'forgotten' });
  const before = contents();
  const refused = await start(right);
  expect(refused).toMatchObject({ ok: false, failure: { code: 'vault.unreadable' } });
  expect(refused.ok ? '' : refused.failure.message).toMatch(/"forgotten" \(1\).*vault rotate/);
  expect(contents()).toEqual(before);
});

test('a missing data key is an error and is not replaced: all sealed data would be lost', async () => {
  await start(right);
  const key = dataKeys.rows.get(null);
  dataKeys.rows.clear();
  expect(await start(right)).toMatchObject({ ok: false, failure: { code: 'vault.unreadable' } });
  expect(dataKeys.rows.size).toBe(0);
  if (key) dataKeys.rows.set(null, key);
  expect((await start(right)).ok).toBe(true);
});

test('a modified canary, and one of another database, are rejected', async () => {
  await start(right);
  const own = canaries.sealed ?? new Uint8Array();
  canaries.sealed = own.map((byte, at) => (at === 95 ? byte ^ 1 : byte));
  expect((await start(right)).ok).toBe(false);

  const keys = dataKeys;
  [dataKeys, canaries] = [memoryDataKeys(), memoryCanaries()];
  await start(right);
  dataKeys = keys;
  expect((await start(right)).ok).toBe(false);
});

test('a start that crashed between key and canary is completed by the next, but not with a wrong key', async () => {
  await start(right);
  canaries.sealed = null;
  expect((await start(generateMasterKey().reveal())).ok).toBe(false);
  expect(canaries.sealed).toBeNull();
  expect((await start(right)).ok).toBe(true);
  expect(canaries.sealed).not.toBeNull();
});

test('processes that start concurrently on an empty database all continue with one key', async () => {
  const started = await Promise.all(Array.from({ length: 10 }, () => start(right)));
  const peppers = started.map((each) =>
    each.ok ? Buffer.from(systemSecrets(each.value).pepper).toString('hex') : 'refused',
  );
  expect(new Set(peppers).size).toBe(1);
  expect(peppers[0]).toMatch(/^[0-9a-f]{64}$/);
});

test('of two processes that start concurrently with different keys, only those with the winning key continue', async () => {
  const started = await Promise.all([start(right), start(generateMasterKey().reveal())]);
  expect(started.filter(({ ok }) => ok)).toHaveLength(1);
});

test('the system secrets are 32 bytes each, distinct, stable across starts and unique per installation', async () => {
  const read = async () => {
    const started = await start(right);
    if (!started.ok) throw new Error(started.failure.message);
    const { pepper, cursorKey } = systemSecrets(started.value);
    return [pepper, cursorKey].map((secret) => Buffer.from(secret).toString('hex'));
  };
  const first = await read();
  expect(first.map((secret) => secret.length)).toEqual([64, 64]);
  expect(await read()).toEqual(first);
  [dataKeys, canaries] = [memoryDataKeys(), memoryCanaries()];
  expect(new Set([...first, ...(await read())]).size).toBe(4);
});
