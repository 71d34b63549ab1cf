import { expect, test } from '@jest/globals';
import { parseExact } from '@switchboard/platform-kit/exact-amount';
import { apportion } from './apportion.js';

test('weighted shares sum up to every amount', () => {
  expect(apportion(100, [1n, 1n, 1n])).toEqual([34, 33, 33]);
  expect(apportion(7, [0n, 0n])).toEqual([7, 0]);
  for (let amount = 0; amount < 500; amount += 7) {
    const parts = apportion(amount, ['25.21', '4.7899', '0.32773'].map(parseExact));
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(amount);
    expect(parts.every((part) => part >= 0)).toBe(true);
  }
});
