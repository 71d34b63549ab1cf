import { describe, expect, test } from '@jest/globals';
import { decimal, moneyOf } from './decimal.js';

describe('converts a store’s decimal to the smallest unit', () => {
  test.each<[unknown, string, number]>([
    ['12.34', 'EUR', 1234],
    ['12.3400', 'EUR', 1234],
    ['12', 'EUR', 1200],
    [39.99, 'USD', 3999],
    [25.990000000000002, 'USD', 2599],
    [0.1 + 0.2, 'USD', 30],
    [8.505, 'USD', 851],
    ['8.5049', 'USD', 850],
    ['-20.00', 'EUR', -2000],
    ['-0.00', 'EUR', 0],
    [1200, 'JPY', 1200],
    ['1200.00', 'JPY', 1200],
    [1.2345, 'KWD', 1235],
    ['90071992547409.91', 'EUR', 9007199254740991],
  ])('%s %s is %i', (written, currency, minor) => {
    expect(moneyOf(decimal.parse(written), currency)).toEqual({ amountMinor: minor, currency });
  });

  test.each(['', '1,50', '1e3', 'NaN', '.5', '٣', Number.NaN, Number.POSITIVE_INFINITY, null])(
    '%j is not a decimal',
    (written) => {
      expect(decimal.safeParse(written).success).toBe(false);
    },
  );

  test('an amount that cannot be counted exactly is rejected, not rounded', () => {
    expect(() => moneyOf('99999999999999999.99', 'EUR')).toThrow('not an amount');
    for (const written of [1e16, '99999999999999999.99', '-99999999999999999.99']) {
      expect(decimal.safeParse(written).error?.message).toContain('too large');
    }
  });
});
