import { expect, test } from '@jest/globals';
import { formatPrice, price, sumOfPrices } from './price.js';

test.each([
  [200_000, 'USD', '0.20'],
  [15_000, 'USD', '0.015'],
  [3_000_000, 'USD', '3.00'],
  [1, 'USD', '0.000001'],
  [0, 'USD', '0.00'],
  [3_000_000, 'JPY', '3'],
  [2_500_000, 'JPY', '2.5'],
  [1_500_000, 'KWD', '1.500'],
])('%i millionths of %s are formatted as %j', (micros, currency, text) => {
  expect(formatPrice(price(micros, currency))).toBe(text);
});

test('prices add up exactly, and null adds nothing', () => {
  const one = price(15_000, 'USD');
  expect(sumOfPrices([one, null, one, price(200_000, 'USD')])).toEqual(price(230_000, 'USD'));
  expect(sumOfPrices([null, null])).toBeNull();
  expect(sumOfPrices([])).toBeNull();
});

test('different currencies cannot be added, and a fraction of a millionth is rejected', () => {
  expect(() => sumOfPrices([price(1, 'USD'), price(1, 'EUR')])).toThrow('USD and EUR');
  expect(() => price(0.5, 'USD')).toThrow('0.5');
});
