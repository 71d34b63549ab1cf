import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hmacSha256 } from './hmac.js';

test.each([0, 1, 31, 32, 63, 64])('is that of createHmac with a key of %i bytes', (length) => {
  const key = randomBytes(length);
  const authenticate = hmacSha256(key);
  for (const size of [0, 1, 55, 56, 63, 64, 65, 119, 120, 5000]) {
    const message = randomBytes(size);
    expect(authenticate(message)).toEqual(createHmac('sha256', key).update(message).digest());
  }
});

test('takes texts as UTF-8, and earlier results do not change', () => {
  const key = randomBytes(32);
  const authenticate = hmacSha256(key);
  const results = ['', 'plain', 'größer', '🙂'.repeat(50)].map((text) => [text, authenticate(text)] as const);
  for (const [text, result] of results)
    expect(result).toEqual(createHmac('sha256', key).update(text).digest());
});

test('refuses a key that HMAC would hash first', () => {
  expect(() => hmacSha256(randomBytes(65))).toThrow('longer than a block');
});
