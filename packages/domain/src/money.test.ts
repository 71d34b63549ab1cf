import { describe, expect, test } from '@jest/globals';
import { decimalsOf, formatAmount, isCurrency, money, parseAmount } from './money.js';

describe('parsing an amount', () => {
  test.each([
    ['12.34', 'EUR', 1234],
    ['12.3', 'EUR', 1230],
    ['12', 'EUR', 1200],
    ['0', 'EUR', 0],
    ['0.01', 'EUR', 1],
    ['0.29', 'EUR', 29],
    ['1.15', 'USD', 115],
    ['4.35', 'USD', 435],
    ['1234', 'JPY', 1234],
    ['1.234', 'KWD', 1234],
    ['0.0001', 'CLF', 1],
    ['90071992547409.91', 'EUR', Number.MAX_SAFE_INTEGER],
  ])('%s %s is %d minor units', (text, currency, minor) => {
    expect(parseAmount(text, currency)).toBe(minor);
  });

  test.each([
    ['more decimals than the currency has', '12.345', 'EUR'],
    ['zeros beyond the currency’s decimals', '12.340', 'EUR'],
    ['a decimal in a currency without decimals', '12.0', 'JPY'],
    ['an amount beyond double precision', '90071992547409.92', 'EUR'],
    ['a very long number', '9'.repeat(400), 'EUR'],
    ...[
      '',
      ' ',
      '.',
      '1.',
      '.5',
      '-1',
      '+1',
      '01',
      '00',
      '1e3',
      '0x10',
      '1,00',
      '1_000',
      '1 ',
      ' 1',
      '1\n',
      'NaN',
    ].map((text): [string, string, string] => [JSON.stringify(text), text, 'EUR']),
    ['Infinity', 'Infinity', 'EUR'],
    ['non-ASCII digits', '١٢', 'EUR'],
  ])('rejects %s', (_what, text, currency) => {
    expect(parseAmount(text, currency)).toBeNull();
  });
});

test('formats exactly the currency’s decimals', () => {
  expect(formatAmount(money(1234, 'EUR'))).toBe('12.34');
  expect(formatAmount(money(5, 'EUR'))).toBe('0.05');
  expect(formatAmount(money(0, 'EUR'))).toBe('0.00');
  expect(formatAmount(money(-5, 'EUR'))).toBe('-0.05');
  expect(formatAmount(money(-0, 'EUR'))).toBe('0.00');
  expect(formatAmount(money(1234, 'JPY'))).toBe('1234');
  expect(formatAmount(money(-1234, 'KWD'))).toBe('-1.234');
  expect(formatAmount(money(1, 'CLF'))).toBe('0.0001');
});

test('parses back what it formatted, to the last unit, in every currency', () => {
  for (const currency of ['EUR', 'JPY', 'BHD', 'CLF', 'UYW']) {
    for (let amount = 0; amount <= 12_000; amount++) {
      if (parseAmount(formatAmount(money(amount, currency)), currency) !== amount)
        throw new Error(`${amount} ${currency}`);
    }
    expect(parseAmount(formatAmount(money(Number.MAX_SAFE_INTEGER, currency)), currency)).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  }
});

test('uses ISO 4217’s decimals, also where cash is rounded differently', () => {
  const of = (list: string) => [...new Set(list.split(' ').map(decimalsOf))];
  expect(of('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF')).toEqual([0]);
  expect(of('EUR USD GBP HUF TWD IDR COP CRC MGA MRU LAK IRR')).toEqual([2]);
  expect(of('BHD IQD JOD KWD LYD OMR TND')).toEqual([3]);
  expect(of('CLF UYW')).toEqual([4]);
});

test('does not accept an object property name as a currency', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(isCurrency(name)).toBe(false);
    expect(decimalsOf(name)).toBe(2);
  }
});

test('accepts a currency only by its upper-case code', () => {
  for (const code of ['EUR', 'USD', 'JPY', 'KWD', 'CLF', 'XCG']) expect(isCurrency(code)).toBe(true);
  for (const text of ['eur', 'Eur', 'EURO', 'EU', '', ' EUR', 'EUR\n', 'AAA'])
    expect(isCurrency(text)).toBe(false);
});

test('rejects an amount that is not a whole number of minor units', () => {
  for (const amount of [0.5, 12.34, Number.NaN, Infinity, 2 ** 53]) {
    expect(() => money(amount, 'EUR')).toThrow('minor units');
  }
});
