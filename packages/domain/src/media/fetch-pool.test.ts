import { expect, test } from '@jest/globals';
import {
  openedDownload,
  chunksOf,
  createTestEnvironment,
  type TestEnvironment,
} from '../../testing/index.js';
import type { DownloadOutcome } from '../ports/index.js';
import { fetchPool } from './fetch-pool.js';

const PNG = 'image/png 640x480 of a cat';

/** Two workspaces whose files are on servers that respond on demand. */
async function scene() {
  const it = await createTestEnvironment();
  const other = it.build.workspace();
  await it.repositories.workspaces.insert(other);
  const waiting = new Map<string, (outcome: DownloadOutcome) => void>();
  const downloads = {
    open: ({ url }: { readonly url: string }) =>
      new Promise<DownloadOutcome>((resolve) => waiting.set(url, resolve)),
  };
  const ports = { ...it.ports, downloads };
  const errors: unknown[] = [];
  const waited: number[] = [];
  const stop = new AbortController();
  const pool = fetchPool(ports, stop.signal, {
    onError: (error) => errors.push(error),
    onStart: (seconds) => waited.push(seconds),
  });
  const add = async (of: TestEnvironment['workspace'], name: string) => {
    const media = it.build.fetched(of, { sourceUrl: `https://files.example/${name}` });
    await it.repositories.media.insert(media);
    return media;
  };
  const asked = () => [...waiting.keys()].map((url) => url.slice('https://files.example/'.length));
  const answer = async (name: string) => {
    waiting.get(`https://files.example/${name}`)?.(openedDownload(chunksOf(PNG)));
    waiting.delete(`https://files.example/${name}`);
    await settled();
  };
  return { ...it, ports, other, pool, add, asked, answer, errors, waited, stop };
}
/** Waits until all work that needs no clock has finished. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('a workspace with slow servers delays only its own downloads', async () => {
  const it = await scene();
  for (let nth = 0; nth < 30; nth++) await it.add(it.workspace, `slow-${nth}`);
  await it.pool.fill();
  await settled();
  expect(it.asked()).toHaveLength(4);
  const media = await it.add(it.other, 'quick');
  await it.pool.fill();
  await settled();
  expect(it.asked()).toContain('quick');
  await it.answer('quick');
  expect(await it.repositories.media.find(it.other.id, media.id)).toMatchObject({ status: 'ready' });
  expect(it.asked()).toHaveLength(4);
  expect(it.errors).toEqual([]);
});

test('a finished download makes room for the next, and everything is downloaded once', async () => {
  const it = await scene();
  for (let nth = 0; nth < 9; nth++) await it.add(it.workspace, `file-${nth}`);
  await Promise.all([it.pool.fill(), it.pool.fill()]);
  await settled();
  const begun = new Set<string>();
  for (let names = it.asked(); names.length > 0; names = it.asked()) {
    for (const name of names) {
      expect(begun).not.toContain(name);
      begun.add(name);
      await it.answer(name);
    }
  }
  expect(begun.size).toBe(9);
  expect(await it.repositories.media.countToFetch()).toBe(0);
  expect(it.waited).toHaveLength(9);
});

test('a draining pool starts nothing and waits for its running downloads', async () => {
  const it = await scene();
  for (let nth = 0; nth < 6; nth++) await it.add(it.workspace, `file-${nth}`);
  await it.pool.fill();
  await settled();
  const draining = it.pool.drain();
  let isDrained = false;
  void draining.then(() => (isDrained = true));
  for (const name of it.asked()) {
    await settled();
    expect(isDrained).toBe(false);
    await it.answer(name);
  }
  await draining;
  expect(it.asked()).toEqual([]);
  expect(await it.repositories.media.countToFetch()).toBe(2);
});
