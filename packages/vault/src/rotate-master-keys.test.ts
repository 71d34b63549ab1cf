import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ok, refuse, Secret, type WorkspaceId } from '@switchboard/domain';
import type { SealBinding, WrappedDataKey } from '@switchboard/domain/ports';
import { memoryPorts, movableClock } from '@switchboard/domain/testing';
import { environmentMasterKeys } from './environment-master-keys.js';
import { generateMasterKey } from './generate-master-key.js';
import type { MasterKeyProvider } from './master-keys.js';
import { rotateMasterKeys, type RotationProgress } from './rotate-master-keys.js';
import { sodiumVault } from './sodium-vault.js';

const BINDING: SealBinding = { table: 'credentials', row: 'con_1', field: 'sealed', generation: 1 };
const WORKSPACES = 250;
const never = new AbortController().signal;

const held = async (...texts: string[]): Promise<MasterKeyProvider> => {
  const keys = await environmentMasterKeys(new Secret(texts.join(',')));
  if (!keys.ok) throw new Error(keys.failure.message);
  return keys.value;
};
const idOf = (text: string) => text.split(':')[0] ?? '';

let clock: ReturnType<typeof movableClock>;
let storage: ReturnType<typeof memoryPorts>;
let old: string;
let newest: string;
/** Workspaces and one sealed secret of each. */
let sealed: Map<WorkspaceId | null, { readonly bytes: Uint8Array; readonly text: string }>;

beforeEach(async () => {
  clock = movableClock();
  storage = memoryPorts(clock);
  [old, newest] = [generateMasterKey().reveal(), generateMasterKey().reveal()];
  sealed = new Map();
  const vault = await vaultWith(await held(old));
  for (let nth = 0; nth <= WORKSPACES; nth++) {
    const owner = nth === 0 ? null : (`wsp_${String(nth).padStart(4, '0')}` as WorkspaceId);
    const minted = await vault.generateDataKey(owner);
    if (!minted.ok) throw new Error(minted.failure.message);
    await storage.repositories.dataKeys.insert(minted.value);
    const unlocked = await vault.unlock(owner);
    if (!unlocked.ok) throw new Error(unlocked.failure.message);
    const text = randomBytes(12).toString('hex');
    sealed.set(owner, { text, bytes: unlocked.value.seal(BINDING, new Secret(text)) });
  }
});

const vaultWith = (masterKeys: MasterKeyProvider) =>
  sodiumVault({ masterKeys, dataKeys: storage.repositories.dataKeys, clock });

const rotate = (
  masterKeys: MasterKeyProvider,
  options: Partial<Parameters<typeof rotateMasterKeys>[1]> = {},
) =>
  rotateMasterKeys(
    { masterKeys, dataKeys: storage.repositories.dataKeys, holders: storage.processRegistry, clock },
    { onProgress: () => undefined, signal: never, ...options },
  );

/** Opens every secret in a new process without caches. */
async function expectAllReadable(...texts: string[]): Promise<void> {
  const vault = await vaultWith(await held(...texts));
  for (const [owner, { bytes, text }] of sealed) {
    const unlocked = await vault.unlock(owner);
    const opened = unlocked.ok ? unlocked.value.open(BINDING, bytes) : unlocked;
    expect(opened.ok && opened.value.reveal()).toBe(text);
  }
}
const under = async (text: string) =>
  (await storage.repositories.dataKeys.countByMasterKey()).find(
    ({ masterKeyId }) => masterKeyId === idOf(text),
  )?.dataKeys ?? 0;

test('wraps every data key with the newest master key, after which the old one can be removed', async () => {
  const reports: RotationProgress[] = [];
  const rotated = await rotate(await held(newest, old), { onProgress: (progress) => reports.push(progress) });
  expect(rotated).toEqual(ok({ masterKeyId: idOf(newest), rewrapped: WORKSPACES + 1, unreadable: [] }));
  expect([await under(old), await under(newest)]).toEqual([0, WORKSPACES + 1]);
  expect(reports.at(-1)).toEqual({ done: WORKSPACES + 1, total: WORKSPACES + 1 });
  expect(reports.length).toBeGreaterThan(2);
  await expectAllReadable(newest);
  expect(await rotate(await held(newest))).toMatchObject({ ok: true, value: { rewrapped: 0 } });
});

test('does nothing, and reports why, while a running process lacks the newest master key', async () => {
  const process = { app: 'worker', host: 'elsewhere', pid: 42, startedAt: clock.now() };
  await storage.processRegistry.register({ ...process, id: 'one', masterKeyIds: [idOf(old)] });
  const refused = await rotate(await held(newest, old));
  expect(refused).toMatchObject({ ok: false, failure: { code: 'vault.rotation_refused' } });
  expect(refused.ok ? '' : refused.failure.message).toContain('worker (process 42 on elsewhere)');
  expect(await under(newest)).toBe(0);

  await storage.processRegistry.register({ ...process, id: 'one', masterKeyIds: [idOf(newest), idOf(old)] });
  expect(await rotate(await held(newest, old))).toMatchObject({ ok: true });
});

test('is completed by the next run after an interruption, and every secret opens in the meantime', async () => {
  const interruption = new AbortController();
  const cut = await rotate(await held(newest, old), {
    signal: interruption.signal,
    onProgress: () => interruption.abort(),
  });
  expect(cut).toMatchObject({ ok: false, failure: { code: 'vault.rotation_refused' } });
  expect(await under(newest)).toBeGreaterThan(1);
  expect(await under(old)).toBeGreaterThan(0);
  await expectAllReadable(newest, old);
  const rest = await under(old);
  expect(await rotate(await held(newest, old))).toMatchObject({ ok: true, value: { rewrapped: rest } });
  await expectAllReadable(newest);
});

test('two concurrent runs share the work', async () => {
  const [one, other] = await Promise.all([rotate(await held(newest, old)), rotate(await held(newest, old))]);
  if (!one.ok || !other.ok) throw new Error('both go through');
  expect(one.value.rewrapped + other.value.rewrapped).toBe(WORKSPACES + 1);
  expect(await under(old)).toBe(0);
  await expectAllReadable(newest);
});

test('also returns to an older master key, while all processes have it', async () => {
  await rotate(await held(newest, old));
  expect(await rotate(await held(old, newest))).toMatchObject({
    ok: true,
    value: { rewrapped: WORKSPACES + 1 },
  });
  await expectAllReadable(old);
});

test('reports modified keys and leaves them unchanged; all others are rewrapped', async () => {
  const owner = 'wsp_0007' as WorkspaceId;
  const before = await storage.repositories.dataKeys.find(owner);
  if (!before) throw new Error('minted above');
  const changed = { ...before, wrapped: before.wrapped.map((byte, at) => (at === 99 ? byte ^ 1 : byte)) };
  await storage.repositories.dataKeys.rewrap([{ before, after: changed }]);
  const rotated = await rotate(await held(newest, old));
  expect(rotated).toEqual(ok({ masterKeyId: idOf(newest), rewrapped: WORKSPACES, unreadable: [owner] }));
  expect(await storage.repositories.dataKeys.find(owner)).toEqual(changed);
});

describe('a key service that wraps', () => {
  /** `wrong` selects the fault of each call. */
  async function faltering(
    wrong: (call: number) => 'down' | 'another key' | null,
  ): Promise<MasterKeyProvider> {
    const keys = await held(newest, old);
    let calls = 0;
    return {
      list: () => keys.list(),
      async wrap(...input) {
        const what = wrong(++calls);
        if (what === 'down') return refuse('vault.unavailable', 'The key service does not answer.');
        const [id, dataKey, context] = input;
        return keys.wrap(id, what === 'another key' ? randomBytes(32) : dataKey, context);
      },
      async unwrap(...input) {
        if (wrong(++calls) === 'down') return refuse('vault.unavailable', 'The key service does not answer.');
        return keys.unwrap(...input);
      },
    };
  }

  test('and fails intermittently is retried', async () => {
    const rotated = await rotate(await faltering((call) => (call % 3 === 0 ? 'down' : null)));
    expect(rotated).toMatchObject({ ok: true, value: { rewrapped: WORKSPACES + 1 } });
    await expectAllReadable(newest);
  });

  test('and is down aborts the rotation, which the next run completes', async () => {
    const refused = await rotate(await faltering((call) => (call > 400 ? 'down' : null)));
    expect(refused).toMatchObject({ ok: false, failure: { code: 'vault.unavailable' } });
    expect(await under(newest)).toBeGreaterThan(1);
    await expectAllReadable(newest, old);
    expect(await rotate(await held(newest, old))).toMatchObject({ ok: true });
    await expectAllReadable(newest);
  });

  test('a wrong response is detected before anything is stored', async () => {
    const refused = await rotate(await faltering(() => 'another key'));
    expect(refused).toMatchObject({ ok: false, failure: { code: 'vault.unavailable' } });
    expect(await under(newest)).toBe(0);
    await expectAllReadable(old);
  });
});

test('a workspace whose key was created before and stored during the rotation is included', async () => {
  const vault = await vaultWith(await held(newest, old));
  const minted = await vault.generateDataKey('wsp_late' as WorkspaceId);
  if (!minted.ok) throw new Error(minted.failure.message);
  const late: WrappedDataKey = minted.value;
  let kept: WrappedDataKey | null = late;
  await rotate(await held(newest, old), {
    onProgress: () => void storage.repositories.dataKeys.insert(late).then((row) => (kept = row)),
  });
  expect(kept).toBeNull();
  expect(await under(old)).toBe(0);
});
