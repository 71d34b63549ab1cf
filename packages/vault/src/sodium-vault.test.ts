import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { refuse, Secret, type WorkspaceId } from '@switchboard/domain';
import type { SealBinding, UnlockedVault } from '@switchboard/domain/ports';
import { environmentMasterKeys } from './environment-master-keys.js';
import { generateMasterKey } from './generate-master-key.js';
import type { MasterKeyProvider } from './master-keys.js';
import { sodiumVault } from './sodium-vault.js';
import { memoryDataKeys, manualClock } from './testing.js';

const A = 'wsp_01j0000000000000000000000a' as WorkspaceId;
const B = 'wsp_01j0000000000000000000000b' as WorkspaceId;
const BINDING: SealBinding = { table: 'credentials', row: 'con_1', field: 'access_token', generation: 0 };
const FIVE_MINUTES_MS = 5 * 60_000;

const held = async (text = generateMasterKey().reveal()): Promise<MasterKeyProvider> => {
  const keys = await environmentMasterKeys(new Secret(text));
  if (!keys.ok) throw new Error(keys.failure.message);
  return keys.value;
};

/** Wraps a real provider, counts its calls and can simulate an outage. */
const service = (keys: MasterKeyProvider) => {
  const state = { calls: 0, down: false, unwrapped: [] as Uint8Array[] };
  const down = () => refuse('vault.unavailable', 'The key service does not answer.');
  const provider: MasterKeyProvider = {
    list: () => keys.list(),
    wrap: async (...input) => (state.down ? down() : keys.wrap(...input)),
    unwrap: async (...input) => {
      state.calls++;
      if (state.down) return down();
      const dataKey = await keys.unwrap(...input);
      if (dataKey.ok) state.unwrapped.push(dataKey.value);
      return dataKey;
    },
  };
  return { state, provider };
};

const idsOf = async (keys: MasterKeyProvider): Promise<readonly string[]> => {
  const ids = await keys.list();
  return ids.ok ? ids.value : [];
};

const installation = async (masterKeys?: MasterKeyProvider) => {
  const dataKeys = memoryDataKeys();
  const clock = manualClock();
  const vault = await sodiumVault({ masterKeys: masterKeys ?? (await held()), dataKeys, clock });
  const mint = async (workspaceId: WorkspaceId | null) => {
    const minted = await vault.generateDataKey(workspaceId);
    if (!minted.ok) throw new Error(minted.failure.message);
    await dataKeys.insert(minted.value);
  };
  const unlock = async (workspaceId: WorkspaceId | null): Promise<UnlockedVault> => {
    const unlocked = await vault.unlock(workspaceId);
    if (!unlocked.ok) throw new Error(unlocked.failure.message);
    return unlocked.value;
  };
  return { vault, dataKeys, clock, mint, unlock };
};

test('opens what it sealed, also in another process with the same keys', async () => {
  const text = generateMasterKey().reveal();
  const { dataKeys, clock, mint, unlock } = await installation(await held(text));
  await mint(A);
  const sealed = (await unlock(A)).seal(BINDING, new Secret('grüße 🔑 \u0000 end'));

  const elsewhere = await sodiumVault({ masterKeys: await held(text), dataKeys, clock });
  const unlocked = await elsewhere.unlock(A);
  const opened = unlocked.ok && unlocked.value.open(BINDING, sealed);
  expect(opened && opened.ok && opened.value.reveal()).toBe('grüße 🔑 \u0000 end');
});

test('does not open in another workspace, nor with the installation’s key', async () => {
  const { mint, unlock } = await installation();
  for (const workspaceId of [A, B, null]) await mint(workspaceId);
  const sealed = (await unlock(A)).seal(BINDING, new Secret('token'));
  for (const workspaceId of [B, null]) {
    expect((await unlock(workspaceId)).open(BINDING, sealed)).toMatchObject({
      failure: { code: 'vault.unreadable' },
    });
  }
});

test('rejects a wrapped data key that was moved to another workspace or version, modified or removed', async () => {
  const { vault, dataKeys, mint } = await installation();
  await mint(A);
  await mint(B);
  await mint(null);
  const row = dataKeys.rows.get(B);
  if (!row) throw new Error('minted above');
  const refusals: unknown[] = [];
  const plant = async (changed: typeof row) => {
    dataKeys.rows.set(A, changed);
    refusals.push(await vault.unlock(A));
  };
  const own = dataKeys.rows.get(A) ?? row;
  await plant(row);
  await plant({ ...row, workspaceId: A });
  await plant({ ...own, wrapped: dataKeys.rows.get(null)?.wrapped ?? row.wrapped });
  await plant({ ...own, version: 2 });
  await plant({ ...own, wrapped: own.wrapped.map((byte, at) => (at === 100 ? byte ^ 1 : byte)) });
  await plant({ ...own, wrapped: new Uint8Array(0) });
  dataKeys.rows.delete(A);
  refusals.push(await vault.unlock(A));
  for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  expect(refusals[0]).toMatchObject({ ok: false, failure: { code: 'vault.unreadable' } });

  dataKeys.rows.set(A, own);
  expect((await vault.unlock(A)).ok).toBe(true);
});

test('creates no data key with a different master key of the same name', async () => {
  const named = () => `k1:${generateMasterKey().reveal().split(':')[1] ?? ''}`;
  const { dataKeys, clock, mint } = await installation(await held(named()));
  await mint(null);
  const elsewhere = await sodiumVault({ masterKeys: await held(named()), dataKeys, clock });
  expect(await elsewhere.generateDataKey(A)).toMatchObject({
    ok: false,
    failure: { code: 'vault.unavailable' },
  });
});

test('gives every workspace its own data key', async () => {
  const { mint, unlock } = await installation();
  const derived = new Set<string>();
  for (const workspaceId of [A, B, null]) {
    await mint(workspaceId);
    for (const purpose of ['one', 'other']) {
      derived.add(Buffer.from((await unlock(workspaceId)).derive(purpose)).toString('hex'));
    }
  }
  expect(derived.size).toBe(6);
});

test('loads a data key once for concurrent callers, and again after five minutes', async () => {
  const { state, provider } = service(await held());
  const { clock, mint, unlock } = await installation(provider);
  await mint(A);
  await Promise.all(Array.from({ length: 50 }, () => unlock(A)));
  expect(state.calls).toBe(1);
  clock.advance(FIVE_MINUTES_MS - 1);
  await unlock(A);
  expect(state.calls).toBe(1);
  clock.advance(1);
  await unlock(A);
  expect(state.calls).toBe(2);
});

test('wipes the data key as soon as it is unlocked', async () => {
  const { state, provider } = service(await held());
  const { mint, unlock } = await installation(provider);
  await mint(A);
  await unlock(A);
  expect(state.unwrapped.map((dataKey) => [...dataKey])).toEqual([Array(32).fill(0)]);
});

test('a vault held beyond the cache lifetime still seals readable secrets', async () => {
  const { clock, mint, unlock } = await installation();
  await mint(A);
  const early = await unlock(A);
  clock.advance(10 * FIVE_MINUTES_MS);
  const late = await unlock(A);
  expect(late).not.toBe(early);
  const opened = late.open(BINDING, early.seal(BINDING, new Secret('token')));
  expect(opened.ok && opened.value.reveal()).toBe('token');
});

test('is unavailable while the key service is, works with cached keys, and recovers', async () => {
  const { state, provider } = service(await held());
  const { vault, mint, unlock } = await installation(provider);
  await mint(A);
  await mint(B);
  await unlock(A);
  state.down = true;
  expect((await vault.unlock(A)).ok).toBe(true);
  expect(await vault.unlock(B)).toMatchObject({ failure: { code: 'vault.unavailable' } });
  expect(await vault.generateDataKey(B)).toMatchObject({ failure: { code: 'vault.unavailable' } });
  state.down = false;
  expect((await vault.unlock(B)).ok).toBe(true);
});

test('creates keys with the newest master key and unlocks keys of an older one', async () => {
  const old = generateMasterKey().reveal();
  const { dataKeys, clock, mint } = await installation(await held(old));
  await mint(A);
  const both = await held(`${generateMasterKey().reveal()}, ${old}`);
  const vault = await sodiumVault({ masterKeys: both, dataKeys, clock });
  expect((await vault.unlock(A)).ok).toBe(true);
  const minted = await vault.generateDataKey(B);
  const [newest] = await idsOf(both);
  expect(minted.ok && minted.value.masterKeyId).toBe(newest);
  expect(minted.ok && minted.value.masterKeyId).not.toBe(dataKeys.rows.get(A)?.masterKeyId);
});

test('keeps creating keys with the master key of the installation: other processes may lack the newest', async () => {
  const old = generateMasterKey().reveal();
  const { dataKeys, clock, mint } = await installation(await held(old));
  await mint(null);
  const both = await held(`${generateMasterKey().reveal()}, ${old}`);
  const vault = await sodiumVault({ masterKeys: both, dataKeys, clock });
  const minted = await vault.generateDataKey(B);
  expect(minted.ok && minted.value.masterKeyId).toBe((await idsOf(both)).at(-1));

  const foreign = await sodiumVault({ masterKeys: await held(), dataKeys, clock });
  expect(await foreign.generateDataKey(B)).toMatchObject({ failure: { code: 'vault.unavailable' } });
});

test('a process that lacks a master key reports it for the keys that it wraps, and works with the others', async () => {
  const old = generateMasterKey().reveal();
  const { dataKeys, clock, vault, mint } = await installation(await held(old));
  await mint(A);
  const newer = await sodiumVault({ masterKeys: await held(), dataKeys, clock });
  const minted = await newer.generateDataKey(B);
  if (!minted.ok) throw new Error(minted.failure.message);
  await dataKeys.insert(minted.value);
  const lacking = await vault.unlock(B);
  expect(lacking).toMatchObject({ failure: { code: 'vault.unavailable' } });
  expect(lacking.ok ? '' : lacking.failure.message).toContain(minted.value.masterKeyId);
  expect((await vault.unlock(A)).ok).toBe(true);
});

test('reveals no secret when the vault, its errors or sealed bytes are printed', async () => {
  const masterKey = generateMasterKey().reveal();
  const { vault, dataKeys, mint, unlock } = await installation(await held(masterKey));
  await mint(A);
  const unlocked = await unlock(A);
  const sealed = unlocked.seal(BINDING, new Secret('canary-4711'));
  const opened = unlocked.open(BINDING, sealed);
  const printed = [vault, unlocked, opened, dataKeys.rows, Buffer.from(sealed).toString('latin1')]
    .map((thing) => inspect(thing, { depth: null, showHidden: true }) + JSON.stringify(thing))
    .join();
  expect(printed).not.toContain('canary-4711');
  expect(printed).not.toContain(masterKey.split(':')[1]);
  expect(() => unlocked.seal(BINDING, new Secret('canary-4711\ud800'))).toThrow(/^(?!.*canary)/s);
});
