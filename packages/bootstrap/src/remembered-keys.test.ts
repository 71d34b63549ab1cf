import { beforeEach, expect, test } from '@jest/globals';
import type { ApiKey, ApiKeys } from '@switchboard/domain';
import { builders, memoryPorts } from '@switchboard/domain/testing';
import { rememberedKeys } from './remembered-keys.js';

let stored: ApiKeys;
let keys: ApiKeys;
let key: ApiKey;
let questions: number;
let elapsedMs: number;
beforeEach(async () => {
  const memory = memoryPorts();
  const build = builders(memory);
  const workspace = build.workspace();
  await memory.repositories.workspaces.insert(workspace);
  stored = memory.repositories.apiKeys;
  key = build.apiKey(workspace);
  await stored.insert(key, new Uint8Array(32));
  questions = 0;
  elapsedMs = 5000;
  const counting: ApiKeys = {
    ...stored,
    findByPublicId: (publicId) => {
      questions += 1;
      return stored.findByPublicId(publicId);
    },
  };
  keys = rememberedKeys(counting, () => elapsedMs);
});
const isRevoked = async () => (await keys.findByPublicId(key.publicId))?.key.revokedAt != null;

test('asks once for a key that many requests present at once', async () => {
  await Promise.all(Array.from({ length: 10 }, () => keys.findByPublicId(key.publicId)));
  await keys.findByPublicId(key.publicId);
  expect(questions).toBe(1);
});

test('feels a revocation within a second', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  elapsedMs += 999;
  expect(await isRevoked()).toBe(true);
});

test('counts the age of an answer from before the question', async () => {
  const slow = keys.findByPublicId(key.publicId);
  elapsedMs += 999;
  await slow;
  await stored.revoke(key.workspaceId, key.id);
  expect(await isRevoked()).toBe(true);
});

test('knows a key at once that was not there a moment ago', async () => {
  const { publicId, id: _, ...rest } = key;
  const other = { ...rest, id: 'key_other' as ApiKey['id'], publicId: publicId.split('').reverse().join('') };
  expect(await keys.findByPublicId(other.publicId)).toBeNull();
  await stored.insert(other, new Uint8Array(32));
  expect(await keys.findByPublicId(other.publicId)).toMatchObject({ key: { id: other.id } });
});

test('asks again after a question that failed', async () => {
  let down = true;
  const flaky = rememberedKeys(
    {
      ...stored,
      findByPublicId: (publicId) =>
        down ? Promise.reject(new Error('the database is away')) : stored.findByPublicId(publicId),
    },
    () => elapsedMs,
  );
  await expect(flaky.findByPublicId(key.publicId)).rejects.toThrow('the database is away');
  down = false;
  expect(await flaky.findByPublicId(key.publicId)).toMatchObject({ key: { id: key.id } });
});
