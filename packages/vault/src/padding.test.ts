import { expect, test } from '@jest/globals';
import { pad, unpad } from './padding.js';

test('restores the padded bytes, including trailing zeroes and end marks', () => {
  for (let length = 0; length <= 100; length++) {
    for (const fill of [0x00, 0x80, 0x41]) {
      const bytes = new Uint8Array(length).fill(fill);
      expect(pad(bytes).length % 32).toBe(0);
      expect(pad(bytes).length - length).toBeLessThanOrEqual(32);
      expect(unpad(pad(bytes))).toEqual(bytes);
    }
  }
});

test('rejects invalid padding', () => {
  expect(unpad(new Uint8Array(0))).toBeNull();
  expect(unpad(new Uint8Array(32))).toBeNull();
  expect(unpad(new Uint8Array(64).fill(0x80, 0, 32))).toBeNull();
  expect(unpad(pad(new Uint8Array(3)).subarray(0, 31))).toBeNull();
  expect(unpad(new Uint8Array(32).fill(1))).toBeNull();
});
