import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { encodeBase62, KEY_PATTERN, parsePublicId, formatKey } from './key-format.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const random = (length: number) => encodeBase62(randomBytes(4 * length), length) ?? '';
/** Set RANDOM_KEYS to a million or more for a longer run. */
const RANDOM_KEYS = Number(process.env['RANDOM_KEYS'] ?? 100_000);
const SECURITY = new URL('../../../../SECURITY.md', import.meta.url);
const PUBLIC_ID = 'Ab0Zz9Yy8Xx7';
const key = formatKey(PUBLIC_ID, 'S'.repeat(43));

test('parses the public id of a key it formatted', () => {
  expect(key).toHaveLength(65);
  for (let at = 0; at < 1000; at++) {
    const publicId = random(12);
    expect(parsePublicId(formatKey(publicId, random(43)))).toBe(publicId);
  }
});

test('ends in the CRC-32 of the preceding characters, in six base62 digits', () => {
  for (const text of [key, ...Array.from({ length: 1000 }, () => formatKey(random(12), random(43)))]) {
    let value = 0;
    for (const digit of text.slice(-6)) value = value * 62 + ALPHABET.indexOf(digit);
    expect(value).toBe(crc32(text.slice(0, -6)));
  }
});

test('rejects a key with any character changed, missing, doubled or swapped with the next', () => {
  for (let at = 0; at < key.length; at++) {
    for (const letter of `${ALPHABET}_- \n\u0000é`) {
      const changed = key.slice(0, at) + letter + key.slice(at + 1);
      if (changed !== key) expect(parsePublicId(changed)).toBeNull();
    }
    expect(parsePublicId(key.slice(0, at) + key.slice(at + 1))).toBeNull();
    expect(parsePublicId(key.slice(0, at) + key.charAt(at) + key.slice(at))).toBeNull();
    const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
    if (swapped !== key) expect(parsePublicId(swapped)).toBeNull();
  }
});

test('rejects a key with leading or trailing characters', () => {
  for (const around of [' ', '\n', '\r\n', '\u0000', 'x', 'Bearer ', ',', '"']) {
    expect(parsePublicId(key + around)).toBeNull();
    expect(parsePublicId(around + key)).toBeNull();
  }
  expect(parsePublicId('')).toBeNull();
  expect(parsePublicId(`${key}${key}`)).toBeNull();
});

test(`R18: of ${RANDOM_KEYS} random texts of the right shape almost none causes a database query`, () => {
  let asked = 0;
  let drawn = '';
  for (let at = 0; at < RANDOM_KEYS; at++) {
    if (drawn === '') drawn = random(61 * 1000);
    const text = `swb_${drawn.slice(0, 61)}`;
    drawn = drawn.slice(61);
    if (!KEY_PATTERN.test(text)) throw new Error(`${text} has another shape`);
    if (parsePublicId(text) !== null) asked += 1;
  }
  expect(asked / RANDOM_KEYS).toBeLessThanOrEqual(0.0001);
});

test('the pattern published for secret scanners matches every key at any position', () => {
  const published = /```\n(\\bswb_.*\\b)\n```/.exec(readFileSync(SECURITY, 'utf8'))?.[1] ?? '';
  const pattern = new RegExp(published);
  for (let at = 0; at < 1000; at++) {
    const token = formatKey(random(12), random(43));
    for (const text of [token, `key=${token}`, `"${token}",`, `Bearer ${token}\n`, `//x:${token}@host`]) {
      expect(pattern.exec(text)?.[0]).toBe(token);
    }
    expect(pattern.test(`${token}0`)).toBe(false);
  }
});

test('draws every base62 character with equal probability', () => {
  const counts = new Map<string, number>();
  const drawn = 620_000;
  const text = encodeBase62(randomBytes(2 * drawn), drawn) ?? '';
  expect(text).toHaveLength(drawn);
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect([...counts.keys()].sort().join('')).toBe(ALPHABET);
  // Chi-square with 61 degrees of freedom: above 130 once in a million runs. Taking bytes modulo 62 gives
  // about 6,000.
  const expected = drawn / 62;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquare).toBeLessThan(130);
});

test('skips bytes from 248 on to avoid bias, and returns null when the bytes run out', () => {
  expect(encodeBase62(Uint8Array.of(255, 0, 248, 61, 62, 247), 4)).toBe('0z0z');
  expect(encodeBase62(Uint8Array.of(255, 254, 253, 252, 251, 250, 249, 248), 1)).toBeNull();
  expect(encodeBase62(Uint8Array.of(1, 2), 3)).toBeNull();
});
