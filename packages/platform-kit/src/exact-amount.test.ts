import { expect, test } from '@jest/globals';
import { parseExact, moneyOfExact, roundTogether, settledAmounts, sumExact } from './exact-amount.js';

test('sums of decimals are exact and rounded once at the end', () => {
  const sum = sumExact(['0.1', '0.2', '-0.05', '9007199254740991.004'].map(parseExact));
  expect(moneyOfExact(sumExact(['0.1', '0.2', '-0.05'].map(parseExact)), 'BHD').amountMinor).toBe(250);
  expect(sum).toBe(900719925474099125400000n);
  expect(moneyOfExact(parseExact('-1.005'), 'EUR').amountMinor).toBe(-101);
});

test('amounts that are rounded together sum up to their rounded sum', () => {
  const parts = ['4.806', '214.166', '5.006'].map(parseExact);
  const minor = roundTogether(parts, 'EUR').map(({ amountMinor }) => amountMinor);
  // One by one they would be 481, 21417 and 501.
  expect(minor).toEqual([481, 21416, 501]);
  expect(minor.reduce((sum, one) => sum + one, 0)).toBe(moneyOfExact(sumExact(parts), 'EUR').amountMinor);
});

test.each([
  ['JPY', '1000.6', '0', [1000, 0, 1000]],
  ['JPY', '1000.6', '1000.6', [1000, 1000, 0]],
  ['JPY', '1000.4', '0.5', [1000, 1, 999]],
  ['JPY', '0.9', '0', [0, 0, 0]],
  ['EUR', '25.99000000', '5', [2599, 500, 2099]],
  ['EUR', '10', '10.5', [1000, 1000, 0]],
] as const)(
  'of %s %s captured and %s refunded, no more than the remainder is refundable',
  (currency, captured, refunded, minor) => {
    const amounts = settledAmounts(parseExact(captured), parseExact(refunded), currency);
    expect(Object.values(amounts).map(({ amountMinor }) => amountMinor)).toEqual(minor);
  },
);
