import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import { KEY_PATTERN, parsePublicId } from '@switchboard/domain/access';
import { hmacKeyHasher } from './hmac-key-hasher.js';

const pepper = randomBytes(32);
const keyHasher = hmacKeyHasher({ pepper });

test('generates well-formed, distinct keys that do not occur in printed output', () => {
  const forged = Array.from({ length: 10_000 }, () => keyHasher.generate());
  const malformed = forged.filter(
    ({ token, publicId }) => !KEY_PATTERN.test(token.reveal()) || parsePublicId(token.reveal()) !== publicId,
  );
  expect(malformed.map(({ token }) => token.reveal())).toEqual([]);
  expect(new Set(forged.map(({ publicId }) => publicId)).size).toBe(10_000);
  expect(new Set(forged.map(({ token }) => token.reveal().slice(16, 59))).size).toBe(10_000);
  expect(JSON.stringify(forged[0]?.token)).toBe('"[secret]"');
});

test('recognizes its own keys and no others', () => {
  const [one, other] = [keyHasher.generate(), keyHasher.generate()];
  expect(keyHasher.matches(one.token, one.hash)).toBe(true);
  expect(keyHasher.matches(one.token, other.hash)).toBe(false);
  for (let at = 0; at < 65; at++) {
    const text = one.token.reveal();
    const changed = text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
    expect(keyHasher.matches(new Secret(changed), one.hash)).toBe(false);
  }
});

test('recognizes its keys after a restart with the same pepper, and not with another', () => {
  const { token, hash } = keyHasher.generate();
  expect(hmacKeyHasher({ pepper }).matches(token, hash)).toBe(true);
  expect(hmacKeyHasher({ pepper: randomBytes(32) }).matches(token, hash)).toBe(false);
});

test('stores HMAC-SHA-256 of the whole key', () => {
  const { token, hash } = keyHasher.generate();
  expect(Buffer.from(hash)).toEqual(createHmac('sha256', pepper).update(token.reveal()).digest());
});

test('rejects an unknown key and an invalid hash', () => {
  const { token, hash } = keyHasher.generate();
  expect(keyHasher.matches(token, null)).toBe(false);
  for (const wrong of [new Uint8Array(0), hash.subarray(0, 31), Buffer.concat([hash, hash])]) {
    expect(keyHasher.matches(token, wrong)).toBe(false);
  }
});

test('an unknown key costs as much processor time to reject as a wrong one', () => {
  const { token } = keyHasher.generate();
  const { hash } = keyHasher.generate();
  const processorTime = (known: Uint8Array | null) => {
    const before = process.cpuUsage();
    for (let at = 0; at < 5000; at++) keyHasher.matches(token, known);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const [wrong, unknown]: [number[], number[]] = [[], []];
  for (let round = 0; round < 15; round++) {
    wrong.push(processorTime(hash));
    unknown.push(processorTime(null));
  }
  // The cheapest runs measure the work itself: other processes cost cache misses, not processor time. A
  // rejection without hashing takes a tenth.
  const ratio = Math.min(...unknown) / Math.min(...wrong);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
