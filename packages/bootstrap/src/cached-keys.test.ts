import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '@switchboard/domain/access';
import type { ApiKeys } from '@switchboard/domain/ports';
import { builders, memoryPorts } from '@switchboard/domain/testing';
import { cachedKeys } from './cached-keys.js';

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
    findAllByPublicId: (publicIds) => {
      questions += 1;
      return stored.findAllByPublicId(publicIds);
    },
  };
  keys = cachedKeys(counting, notices, () => elapsedMs);
});
const isRevoked = async () => (await keys.findByPublicId(key.publicId))?.key.revokedAt != null;

test('sends one query for a key that many requests present at once', async () => {
  await Promise.all(Array.from({ length: 10 }, () => keys.findByPublicId(key.publicId)));
  await keys.findByPublicId(key.publicId);
  expect(questions).toBe(1);
});

test('detects a revocation as soon as it is announced', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  expect(await isRevoked()).toBe(false);
  tell(key.publicId);
  expect(await isRevoked()).toBe(true);
});

test('keeps the other keys cached', async () => {
  await isRevoked();
  tell('another one');
  await isRevoked();
  expect(questions).toBe(1);
});

test('detects an unannounced revocation within five seconds', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  elapsedMs += 4999;
  expect(await isRevoked()).toBe(true);
});

test('detects it within a second while announcements are known to be unavailable, even for keys cached before', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  elapsedMs += 999;
  expect(await isRevoked()).toBe(false);
  state = 'deaf';
  expect(await isRevoked()).toBe(true);
});

test('drops everything when an announcement may have been missed', async () => {
  expect(await isRevoked()).toBe(false);
  await stored.revoke(key.workspaceId, key.id);
  tell(null);
  expect(await isRevoked()).toBe(true);
});

test('counts the age of a result from before the query', async () => {
  const slow = keys.findByPublicId(key.publicId);
  elapsedMs += 4999;
  await slow;
  await stored.revoke(key.workspaceId, key.id);
  expect(await isRevoked()).toBe(true);
});

test('finds a newly created key within a second, and sends one query for it until then', async () => {
  const { publicId, id: _, ...rest } = key;
  const other = { ...rest, id: 'key_other' as ApiKey['id'], publicId: publicId.split('').reverse().join('') };
  expect(await keys.findByPublicId(other.publicId)).toBeNull();
  await keys.findByPublicId(other.publicId);
  expect(questions).toBe(1);
  await stored.insert(other, new Uint8Array(32));
  elapsedMs += 999;
  expect(await keys.findByPublicId(other.publicId)).toMatchObject({ key: { id: other.id } });
});

test('caches a thousand unknown keys, and drops no known key for them', async () => {
  await isRevoked();
  for (let at = 0; at <= 1000; at++) await keys.findByPublicId(`unknown${at}`);
  expect(questions).toBe(1002);
  await keys.findByPublicId('unknown1000');
  await isRevoked();
  expect(questions).toBe(1002);
  await keys.findByPublicId('unknown0');
  expect(questions).toBe(1003);
});

test('sends another query after a failed one', async () => {
  let down = true;
  const answer = <Value>(ask: () => Promise<Value>) =>
    down ? Promise.reject(new Error('the database is unreachable')) : ask();
  const flaky = cachedKeys(
    {
      ...stored,
      findByPublicId: (publicId) => answer(() => stored.findByPublicId(publicId)),
      findAllByPublicId: (publicIds) => answer(() => stored.findAllByPublicId(publicIds)),
    },
    notices,
    () => elapsedMs,
  );
  for (const _ of ['unknown until now', 'known']) {
    down = true;
    await expect(flaky.findByPublicId(key.publicId)).rejects.toThrow('the database is unreachable');
    down = false;
    expect(await flaky.findByPublicId(key.publicId)).toMatchObject({ key: { id: key.id } });
    elapsedMs += 4999;
  }
});

describe('while keys are guessed (finding 12)', () => {
  interface Statement {
    readonly publicIds: readonly string[];
    end(): void;
  }
  let statements: Statement[];
  let flooded: ApiKeys;
  beforeEach(() => {
    statements = [];
    const slowly: ApiKeys = {
      ...stored,
      findAllByPublicId: (publicIds) =>
        new Promise((resolve) => {
          statements.push({ publicIds, end: () => resolve(stored.findAllByPublicId(publicIds)) });
        }),
    };
    flooded = cachedKeys(slowly, notices, () => elapsedMs);
  });
  const nextStatement = async (count: number) => {
    for (let look = 0; look < 50 && statements.length < count; look++) await Promise.resolve();
    expect(statements).toHaveLength(count);
  };

  test('looks up any number of them with one statement at a time, and finds a valid key among them', async () => {
    const guesses = Array.from({ length: 1500 }, (_, at) => flooded.findByPublicId(`guess${at}`));
    const valid = flooded.findByPublicId(key.publicId);
    expect(statements.map(({ publicIds }) => publicIds.length)).toEqual([1]);
    statements[0]?.end();
    await nextStatement(2);
    expect(statements[1]?.publicIds).toHaveLength(1000);
    statements[1]?.end();
    await nextStatement(3);
    expect(statements[2]?.publicIds).toHaveLength(500);
    statements[2]?.end();
    expect(await valid).toMatchObject({ key: { id: key.id } });
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([null]));
    expect(statements).toHaveLength(3);
  });

  test('a known key does not wait for them', async () => {
    const first = flooded.findByPublicId(key.publicId);
    statements[0]?.end();
    await first;
    const guess = flooded.findByPublicId('guess');
    expect(statements).toHaveLength(2);
    elapsedMs += 4999;
    expect(await flooded.findByPublicId(key.publicId)).toMatchObject({ key: { id: key.id } });
    statements[1]?.end();
    expect(await guess).toBeNull();
  });
});
