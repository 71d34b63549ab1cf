import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret, type WorkspaceId } from '@switchboard/domain';
import type { SealBinding } from '@switchboard/domain/ports';
import { memoryPorts, movableClock } from '@switchboard/domain/testing';
import { undiciOutbound } from '@switchboard/egress';
import { startTransit, type TransitFault } from '@switchboard/simulators';
import {
  environmentMasterKeys,
  generateMasterKey,
  compositeMasterKeys,
  rotateMasterKeys,
  sodiumVault,
  transitMasterKeys,
  type MasterKeyProvider,
} from '@switchboard/vault';

const A = 'wsp_01j0000000000000000000000a' as WorkspaceId;
const BINDING: SealBinding = { table: 'credentials', row: 'con_1', field: 'sealed', generation: 1 };
const context = Buffer.from('of workspace a');
const never = new AbortController().signal;
const unavailable = { ok: false, failure: { code: 'vault.unavailable' } };
const unreadable = { ok: false, failure: { code: 'vault.unreadable' } };

let transit: Awaited<ReturnType<typeof startTransit>>;
let outbound: ReturnType<typeof undiciOutbound>;
let clock: ReturnType<typeof movableClock>;
let masterKeyFile: ReturnType<typeof memoryPorts>;
let keys: MasterKeyProvider;

beforeEach(async () => {
  transit = await startTransit({ namespace: 'team' });
  outbound = undiciOutbound({
    breakerOpenMs: 0,
    allowPrivateHosts: [new URL(transit.url).host],
    userAgent: 'test',
  });
  clock = movableClock();
  masterKeyFile = memoryPorts(clock);
  keys = await openKeyService(transit.token);
});
afterEach(async () => {
  await outbound.close();
  await transit.close();
});

const openKeyService = (token: string) =>
  transitMasterKeys({
    url: transit.url,
    mount: 'transit',
    key: 'switchboard',
    namespace: 'team',
    outbound,
    clock,
    token: async () => new Secret(token),
  });
const openVault = (masterKeys: MasterKeyProvider) =>
  sodiumVault({ masterKeys, dataKeys: masterKeyFile.repositories.dataKeys, clock });
const ids = async (of: MasterKeyProvider) => {
  const held = await of.list();
  return held.ok ? held.value : held.failure.message;
};
async function wrapDataKey(id: string, dataKey: Uint8Array): Promise<Uint8Array> {
  const answer = await keys.wrap(id, dataKey, context);
  if (!answer.ok) throw new Error(answer.failure.message);
  return answer.value;
}
async function mint(masterKeys: MasterKeyProvider, count: number): Promise<readonly (WorkspaceId | null)[]> {
  const vault = await openVault(masterKeys);
  const owners = [
    null,
    ...Array.from({ length: count }, (_, nth) => `wsp_${String(nth).padStart(3, '0')}` as WorkspaceId),
  ];
  for (const owner of owners) {
    const minted = await vault.generateDataKey(owner);
    if (!minted.ok) throw new Error(minted.failure.message);
    await masterKeyFile.repositories.dataKeys.insert(minted.value);
  }
  return owners;
}
const rotate = (masterKeys: MasterKeyProvider) =>
  rotateMasterKeys(
    {
      masterKeys,
      dataKeys: masterKeyFile.repositories.dataKeys,
      holders: masterKeyFile.processRegistry,
      clock,
    },
    { onProgress: () => undefined, signal: never },
  );
async function expectAllOpen(
  masterKeys: MasterKeyProvider,
  owners: readonly (WorkspaceId | null)[],
): Promise<void> {
  const vault = await openVault(masterKeys);
  for (const owner of owners) expect(await vault.unlock(owner)).toMatchObject({ ok: true });
}

test('wraps with the requested version, and the result unwraps only with its context', async () => {
  transit.rotate();
  expect(await ids(keys)).toEqual(['transit:switchboard:v2', 'transit:switchboard:v1']);
  const dataKey = randomBytes(32);
  for (const id of ['transit:switchboard:v1', 'transit:switchboard:v2']) {
    const bytes = await wrapDataKey(id, dataKey);
    expect(await keys.unwrap(id, bytes, context)).toEqual({ ok: true, value: new Uint8Array(dataKey) });
    expect(await keys.unwrap(id, bytes, Buffer.from('of workspace b'))).toMatchObject(unreadable);
    const changed = bytes.map((byte, at) => (at === 30 ? byte ^ 1 : byte));
    expect(await keys.unwrap(id, changed, context)).toMatchObject(unreadable);
    expect(await keys.unwrap(id, bytes.subarray(0, 40), context)).toMatchObject(unreadable);
  }
  const first = await wrapDataKey('transit:switchboard:v1', dataKey);
  expect(await keys.unwrap('transit:switchboard:v2', first, context)).toMatchObject(unreadable);
});

test('an unknown key name or version is reported as not held', async () => {
  const bytes = await wrapDataKey('transit:switchboard:v1', randomBytes(32));
  for (const id of [
    'transit:other:v1',
    'transit:switchboard:v0',
    'transit:switchboard:v',
    'm1',
    'transit:switchboard:v1x',
  ])
    expect(await keys.unwrap(id, bytes, context)).toMatchObject(unavailable);
  expect(await keys.wrap('transit:switchboard:v9', randomBytes(32), context)).toMatchObject(unavailable);
});

test.each<[TransitFault]>([['sealed'], ['forbidden'], ['reset'], ['garbage'], ['wrong plaintext']])(
  'a key service that is %s is reported as unavailable, and the error contains neither token nor key',
  async (fault) => {
    const dataKey = randomBytes(32);
    const bytes = await wrapDataKey('transit:switchboard:v1', dataKey);
    transit.faultWith(() => fault);
    const refused = await keys.unwrap('transit:switchboard:v1', bytes, context);
    expect(refused).toMatchObject(unavailable);
    const said = JSON.stringify(refused);
    for (const secret of [transit.token, dataKey.toString('base64'), Buffer.from(bytes).toString()])
      expect(said).not.toContain(secret);
    transit.faultWith(null);
    await clock.sleep(60_000);
    expect(await keys.unwrap('transit:switchboard:v1', bytes, context)).toMatchObject({ ok: true });
  },
);

test('a disabled version is reported as unavailable: its wrapped keys are unchanged', async () => {
  const bytes = await wrapDataKey('transit:switchboard:v1', randomBytes(32));
  transit.rotate();
  transit.setMinDecryptionVersion(2);
  expect(await keys.unwrap('transit:switchboard:v1', bytes, context)).toMatchObject(unavailable);
  expect(await ids(keys)).toEqual(['transit:switchboard:v2']);
});

test('a wrong token is distinguished from a missing key', async () => {
  expect(await ids(await openKeyService('s.wrong'))).toMatch(/403: the token/);
  const elsewhere = await transitMasterKeys({
    url: transit.url,
    mount: 'transit',
    key: 'nobody',
    namespace: 'team',
    outbound,
    clock,
    token: async () => new Secret(transit.token),
  });
  expect(await ids(elsewhere)).toMatch(/404: the key or mount does not exist/);
});

test('a failing service is protected: a thousand callers cause only a few requests', async () => {
  const bytes = await wrapDataKey('transit:switchboard:v1', randomBytes(32));
  transit.faultWith(() => 'sealed');
  const before = transit.requests.length;
  for (let nth = 0; nth < 1000; nth++)
    expect(await keys.unwrap('transit:switchboard:v1', bytes, context)).toMatchObject(unavailable);
  expect(transit.requests.length - before).toBe(1);
  await clock.sleep(1001);
  await Promise.all(Array.from({ length: 100 }, () => keys.unwrap('transit:switchboard:v1', bytes, context)));
  expect(transit.requests.length - before).toBe(2);
  transit.faultWith(null);
  await clock.sleep(60_000);
  expect(await keys.unwrap('transit:switchboard:v1', bytes, context)).toMatchObject({ ok: true });
});

test('cached keys work for five minutes without the key service, and new ones do not', async () => {
  await mint(keys, 1);
  const vault = await openVault(keys);
  const unlocked = await vault.unlock('wsp_000' as WorkspaceId);
  transit.faultWith(() => 'sealed');
  expect(await vault.unlock('wsp_000' as WorkspaceId)).toEqual(unlocked);
  expect(unlocked.ok && unlocked.value.seal(BINDING, new Secret('token')).length).toBeGreaterThan(88);
  expect(await vault.generateDataKey(A)).toMatchObject(unavailable);
  await clock.sleep(5 * 60_000);
  expect(await vault.unlock('wsp_000' as WorkspaceId)).toMatchObject(unavailable);
});

describe('N34: rotation', () => {
  test('to a new version completes over a flapping key service, and the old version can be disabled', async () => {
    const owners = await mint(keys, 40);
    transit.rotate();
    let nth = 0;
    transit.faultWith(() => (++nth % 7 === 0 ? 'sealed' : null));
    expect(await rotate(keys)).toMatchObject({ ok: true, value: { rewrapped: 41, unreadable: [] } });
    transit.faultWith(null);
    transit.setMinDecryptionVersion(2);
    await clock.sleep(60_000);
    await expectAllOpen(keys, owners);
  });

  test('with an unreachable service ends without a change, and completes later', async () => {
    const owners = await mint(keys, 20);
    transit.rotate();
    transit.faultWith((request) => (request.includes('/encrypt/') ? 'sealed' : null));
    const before = await masterKeyFile.repositories.dataKeys.countByMasterKey();
    expect(await rotate(keys)).toMatchObject(unavailable);
    expect(await masterKeyFile.repositories.dataKeys.countByMasterKey()).toEqual(before);
    transit.faultWith(null);
    await clock.sleep(60_000);
    expect(await rotate(keys)).toMatchObject({ ok: true, value: { rewrapped: 21 } });
    await expectAllOpen(keys, owners);
  });

  test('from local keys to the service and back leaves nothing behind', async () => {
    const own = await environmentMasterKeys(generateMasterKey());
    if (!own.ok) throw new Error(own.failure.message);
    const owners = await mint(own.value, 20);
    expect(await rotate(compositeMasterKeys([keys, own.value], keys))).toMatchObject({
      value: { rewrapped: 21 },
    });
    await expectAllOpen(keys, owners);
    expect(await rotate(compositeMasterKeys([own.value, keys], keys))).toMatchObject({
      value: { rewrapped: 21 },
    });
    transit.faultWith(() => 'sealed');
    await expectAllOpen(own.value, owners);
  });
});
