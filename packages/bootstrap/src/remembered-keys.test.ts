import { beforeEach, expect, test } from '@jest/globals';
import type { ApiKey, ApiKeys } from '@switchboard/domain';
import { builders, memoryPorts } from '@switchboard/domain/testing';
import { rememberedKeys } from './remembered-keys.js';

let stored: ApiKeys;
let keys: ApiKeys;
let key: ApiKey;
let questions: number;
let elapsedMs: number;
let state: 'listening' | 'deaf';
let tell: (publicId: string | null) => void;
const notices = {
  on: (_channel: string, handler: (payload: string | null) => void) => void (tell = handler),
  state: () => state,
};
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
  state = 'listening';
  const counting: ApiKeys = {
    ...stored,
    findByPublicId: (publicId) => {
      questions += 1;
      return stored.findByPublicId(publicId);
    },
  };
  keys = rememberedKeys(counting, notices, () => elapsedMs);
});
const isRevoked = async () => (await keys.findByPublicId(key.publicId))?.key.revokedAt != null;

test('asks once for a key that many requests present at once', async () => {
  await Promise.all(Array.from({ length: 10 }, () => keys.findByPublicId(key.publicId)));
  await keys.findByPublicId(key.publicId);
  expect(questions).toBe(1);
});

test('feels a revocation as soon as it is told', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  expect(await isRevoked()).toBe(false);
  tell(key.publicId);
  expect(await isRevoked()).toBe(true);
});

test('goes on knowing the others', async () => {
  await isRevoked();
  tell('another one');
  await isRevoked();
  expect(questions).toBe(1);
});

test('feels a revocation that nobody told within five seconds', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  elapsedMs += 4999;
  expect(await isRevoked()).toBe(true);
});

test('feels it within a second while it knows that nobody tells, whatever it remembered before', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  elapsedMs += 999;
  expect(await isRevoked()).toBe(false);
  state = 'deaf';
  expect(await isRevoked()).toBe(true);
});

test('forgets everything when something may have been missed', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  tell(null);
  expect(await isRevoked()).toBe(true);
});

test('counts the age of an answer from before the question', async () => {
  const slow = keys.findByPublicId(key.publicId);
  elapsedMs += 4999;
  await slow;
  await stored.revoke(key.workspaceId, key.id);
  expect(await isRevoked()).toBe(true);
});

test('knows a key within a second that was not there a moment ago, and asks once for it until then', async () => {
  const { publicId, id: _, ...rest } = key;
  const other = { ...rest, id: 'key_other' as ApiKey['id'], publicId: publicId.split('').reverse().join('') };
  expect(await keys.findByPublicId(other.publicId)).toBeNull();
  await keys.findByPublicId(other.publicId);
  expect(questions).toBe(1);
  await stored.insert(other, new Uint8Array(32));
  elapsedMs += 999;
  expect(await keys.findByPublicId(other.publicId)).toMatchObject({ key: { id: other.id } });
});

test('remembers ten thousand and forgets the one that it asked about longest ago', async () => {
  await isRevoked();
  for (let at = 0; at < 10_000; at++) await keys.findByPublicId(`unknown${at}`);
  expect(questions).toBe(10_001);
  await keys.findByPublicId('unknown9999');
  expect(questions).toBe(10_001);
  await isRevoked();
  expect(questions).toBe(10_002);
});

test('asks again after a question that failed', async () => {
  let down = true;
  const flaky = rememberedKeys(
    {
      ...stored,
      findByPublicId: (publicId) =>
        down ? Promise.reject(new Error('the database is away')) : stored.findByPublicId(publicId),
    },
    notices,
    () => elapsedMs,
  );
  await expect(flaky.findByPublicId(key.publicId)).rejects.toThrow('the database is away');
  down = false;
  expect(await flaky.findByPublicId(key.publicId)).toMatchObject({ key: { id: key.id } });
});
