import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mediaFilesContract } from '@switchboard/domain/testing';
import { s3MediaFiles } from './s3-media-files.js';
import { startS3, type S3Server } from './testing.js';

let folder: string;
let server: S3Server;
const opened: { close(): void }[] = [];
const open = (prefix: string, over: Partial<Parameters<typeof s3MediaFiles>[0]> = {}) => {
  const files = s3MediaFiles({
    bucket: 'media',
    region: 'us-east-1',
    endpoint: server.url,
    credentials: server.credentials,
    forcePathStyle: true,
    prefix,
    ...over,
  });
  opened.push(files);
  return files;
};
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 's3-'));
  server = await startS3(folder, 'media');
});
afterAll(async () => {
  for (const files of opened) files.close();
  await server.close();
  await rm(folder, { recursive: true });
});

mediaFilesContract(async () => open('contract/'));

async function* bytes() {
  yield new Uint8Array([1, 2, 3]);
}
const name = 'a'.repeat(43);
const names = async (files: ReturnType<typeof s3MediaFiles>) => {
  const found: string[] = [];
  for await (const file of files.list()) found.push(file.name);
  return found.sort();
};

test('objects under another prefix are ignored', async () => {
  const [ours, theirs] = [open(''), open('theirs/')];
  await theirs.write(name, bytes(), 10);
  await theirs.createStoreId('theirs');
  await ours.write(name, bytes(), 10);
  expect(await names(ours)).toEqual([name]);
  await ours.remove([name]);
  expect(await names(theirs)).toEqual([name]);
  expect(await ours.createStoreId('ours')).toBe('ours');
});

test('a listing may exceed one page of the server', async () => {
  const files = open('many/');
  const many = Array.from({ length: 1005 }, (_, nth) => String(nth).padStart(20, 'x'));
  for (let at = 0; at < many.length; at += 50) {
    await Promise.all(many.slice(at, at + 50).map((each) => files.write(each, bytes(), 10)));
  }
  expect(await names(files)).toEqual([...many].sort());
});

test.each([['../secret'], ['a/b'], ['']])('no name leads out of the prefix: %j', async (wrong) => {
  await expect(open('p/').read(wrong)).rejects.toThrow('invalid stored file name');
});

test('a missing bucket and denied access throw', async () => {
  await expect(open('', { bucket: 'another' }).write(name, bytes(), 10)).rejects.toThrow();
  const wrong = { accessKeyId: 'nobody', secretAccessKey: 'wrong' };
  await expect(open('', { credentials: wrong }).createStoreId('a')).rejects.toThrow();
});

test('the id is created on a server without conditional writes', async () => {
  const other = await mkdtemp(path.join(os.tmpdir(), 's3-unconditional-'));
  const unconditional = await startS3(other, 'media', { refusesConditions: true });
  const files = open('', { endpoint: unconditional.url });
  expect(await files.createStoreId('first')).toBe('first');
  expect(await files.createStoreId('second')).toBe('first');
  await unconditional.close();
  await rm(other, { recursive: true });
});
