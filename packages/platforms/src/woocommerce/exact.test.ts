import { expect, test } from '@jest/globals';
import { exact, moneyOfExact, shares, sumOf } from './exact.js';

test('sums of decimals are exact, and rounded once at the end', () => {
  const sum = sumOf(['0.1', '0.2', '-0.05', '9007199254740991.004'].map(exact));
  expect(moneyOfExact(sumOf(['0.1', '0.2', '-0.05'].map(exact)), 'BHD').amountMinor).toBe(250);
  expect(sum).toBe(900719925474099125400000n);
  expect(moneyOfExact(exact('-1.005'), 'EUR').amountMinor).toBe(-101);
});

test('shares by weight come to the amount, whatever it is', () => {
  expect(shares(100, [1n, 1n, 1n])).toEqual([34, 33, 33]);
  expect(shares(7, [0n, 0n])).toEqual([7, 0]);
  for (let amount = 0; amount < 500; amount += 7) {
    const parts = shares(amount, ['25.21', '4.7899', '0.32773'].map(exact));
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(amount);
    expect(parts.every((part) => part >= 0)).toBe(true);
  }
});
