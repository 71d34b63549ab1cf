import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mediaFilesContract } from '@switchboard/domain/testing';
import { diskMediaFiles } from './disk-media-files.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'media-'));
});
afterAll(() => rm(root, { recursive: true }));

mediaFilesContract(async () => diskMediaFiles(path.join(root, 'contract', 'media')));

async function* bytes() {
  yield new Uint8Array([1, 2, 3]);
}
const name = 'a'.repeat(43);

test.each([
  '',
  '.',
  '..',
  '../../etc/passwd',
  'a/b',
  `${name}/..`,
  `${name}.png`,
  `${name}\0`,
  '/etc/passwd',
  'C:\\x',
])('no name leads out of the folder: %j', async (wrong) => {
  const files = diskMediaFiles(path.join(root, 'names'));
  await expect(files.write(wrong, bytes(), 10)).rejects.toThrow('invalid stored file name');
  await expect(files.read(wrong)).rejects.toThrow('invalid stored file name');
  await expect(files.remove([wrong])).rejects.toThrow('invalid stored file name');
});

test('a range may be one byte', async () => {
  const files = diskMediaFiles(path.join(root, 'range'));
  await files.write(name, bytes(), 10);
  const found: number[] = [];
  for await (const piece of (await files.read(name, { start: 0, end: 0 })) ?? []) found.push(...piece);
  expect(found).toEqual([1]);
});

test('the id is created on a file system without hard links, and nothing else is left', async () => {
  const folder = path.join(root, 'without-links');
  const linkFile = () => Promise.reject(Object.assign(new Error('not supported'), { code: 'ENOTSUP' }));
  const files = diskMediaFiles(folder, linkFile);
  expect(await files.createStoreId('first')).toBe('first');
  expect(await files.createStoreId('second')).toBe('first');
  expect(await readdir(path.join(folder, 'incoming'))).toEqual([]);
  const full = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  await expect(diskMediaFiles(path.join(root, 'full'), full).createStoreId('first')).rejects.toThrow(
    'no space',
  );
});

test('stored files are private to the user', async () => {
  const folder = path.join(root, 'modes');
  await diskMediaFiles(folder).write(name, bytes(), 10);
  expect((await stat(path.join(folder, 'aa'))).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(folder, 'aa', name))).mode & 0o777).toBe(0o600);
});

test('a partial file of a crashed process is not listed, and is deleted after a day', async () => {
  const folder = path.join(root, 'abandoned');
  const files = diskMediaFiles(folder);
  await files.write(name, bytes(), 10);
  const [old, young] = ['b'.repeat(43), 'c'.repeat(43)].map((half) => path.join(folder, 'incoming', half));
  for (const half of [old, young]) await writeFile(half ?? '', 'half');
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(old ?? '', yesterday, yesterday);
  const found: string[] = [];
  for await (const file of files.list()) found.push(file.name);
  expect(found).toEqual([name]);
  expect(await readdir(path.join(folder, 'incoming'))).toEqual(['c'.repeat(43)]);
});
