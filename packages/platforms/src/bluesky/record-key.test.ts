import { expect, test } from '@jest/globals';
import { recordKey } from './record-key.js';

const noon = new Date('2026-11-21T12:00:00.000Z');
const timeMs = (key: string) => {
  const alphabet = '234567abcdefghijklmnopqrstuvwxyz';
  const value = [...key].reduce((sum, letter) => sum * 32n + BigInt(alphabet.indexOf(letter)), 0n);
  return Number((value >> 10n) / 1000n);
};

test('a record key is the same for every attempt at a part', () => {
  expect(recordKey('dlv_1.0', noon)).toBe(recordKey('dlv_1.0', new Date(noon)));
});

test('a record key has the syntax of a TID', () => {
  expect(recordKey('dlv_1.0', noon)).toMatch(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);
});

test('a record key encodes the time of the post to the preceding second', () => {
  for (const reference of ['a', 'b', 'c', 'd']) {
    const late = noon.getTime() - timeMs(recordKey(reference, noon));
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThanOrEqual(1049);
  }
});

test('a thousand posts of the same millisecond have a thousand keys', () => {
  const keys = new Set(Array.from({ length: 1000 }, (_, at) => recordKey(`dlv_${at}.0`, noon)));
  expect(keys.size).toBe(1000);
});

test('record keys sort as the times do', () => {
  const later = new Date(noon.getTime() + 2000);
  expect(recordKey('z', noon) < recordKey('a', later)).toBe(true);
});
