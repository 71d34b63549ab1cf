import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { memoryPorts } from '@switchboard/domain/testing';
import { openMediaStore } from './media-store.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'media-store-'));
});
afterAll(() => rm(root, { recursive: true }));

let count = 0;
const tokens = { random: () => `mark-${++count}`.padEnd(43, 'x') };
async function* bytes() {
  yield new Uint8Array([1]);
}
const name = 'a'.repeat(43);

test('processes that share database and store are ready, in any order', async () => {
  const { mediaStores } = memoryPorts();
  const dataDir = path.join(root, 'shared');
  const many = Array.from({ length: 4 }, () =>
    openMediaStore({ mediaS3: null, dataDir }, mediaStores, tokens),
  );
  expect(await Promise.all(many.map(async (store) => (await store).check()))).toEqual([
    'ok',
    'ok',
    'ok',
    'ok',
  ]);
  const last = await openMediaStore({ mediaS3: null, dataDir }, mediaStores, tokens);
  expect(await last.check()).toBe('ok');
});

test('a different store is reported, accepts nothing and is not cleaned up', async () => {
  const { mediaStores } = memoryPorts();
  const first = await openMediaStore(
    { mediaS3: null, dataDir: path.join(root, 'first') },
    mediaStores,
    tokens,
  );
  await first.files.write(name, bytes(), 10);
  for (const dataDir of ['empty', 'shared'].map((folder) => path.join(root, folder))) {
    const other = await openMediaStore({ mediaS3: null, dataDir }, mediaStores, tokens);
    expect(await other.check()).toBe('different store');
    await expect(other.files.write(name, bytes(), 10)).rejects.toThrow('does not match');
    await expect(other.files.list()[Symbol.asyncIterator]().next()).rejects.toThrow('does not match');
  }
  expect(await first.check()).toBe('ok');
});
