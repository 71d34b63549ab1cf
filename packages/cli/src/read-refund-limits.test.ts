import { expect, test } from '@jest/globals';
import { readRefundLimits } from './read-refund-limits.js';

test('reads limits into the minor units of each currency', () => {
  expect(readRefundLimits(['EUR:50/500', 'JPY:1000/5000', 'KWD:1.250/10', 'USD:0.01/0.01'])).toEqual({
    ok: true,
    value: [
      { currency: 'EUR', perRefundMinor: 5000, perDayMinor: 50_000 },
      { currency: 'JPY', perRefundMinor: 1000, perDayMinor: 5000 },
      { currency: 'KWD', perRefundMinor: 1250, perDayMinor: 10_000 },
      { currency: 'USD', perRefundMinor: 1, perDayMinor: 1 },
    ],
  });
});

test('reads none as no ceiling, and only as the single value', () => {
  expect(readRefundLimits(['none'])).toEqual({ ok: true, value: null });
  expect(readRefundLimits(['none', 'EUR:50/500'])).toMatchObject({ failure: { code: 'request.invalid' } });
});

test.each([
  ['a currency that does not exist', 'EURO:50/500', /not an ISO 4217/],
  ['a currency in lower case', 'eur:50/500', /not an ISO 4217/],
  ['more decimals than the currency has', 'JPY:50.5/500', /at most 0 decimals/],
  ['a comma', 'EUR:50,00/500', /plain numbers/],
  ['a negative amount', 'EUR:-50/500', /plain numbers/],
  ['an exponent', 'EUR:1e3/1e4', /plain numbers/],
  ['a zero limit per refund', 'EUR:0/500', /greater than zero/],
  ['a limit per day below the limit per refund', 'EUR:500/50', /below the limit per refund/],
  ['no limit per day', 'EUR:50', /invalid format/],
  ['an empty limit per day', 'EUR:50/', /invalid format/],
  ['no currency', '50/500', /invalid format/],
])('refuses %s', (_, text, reason) => {
  const refused = readRefundLimits([text]);
  expect(refused).toMatchObject({ ok: false, failure: { code: 'request.invalid' } });
  expect(refused).toMatchObject({ failure: { message: expect.stringMatching(reason) } });
});

test('rejects two limits of one currency', () => {
  expect(readRefundLimits(['EUR:50/500', 'EUR:5/50'])).toMatchObject({
    failure: { message: expect.stringContaining('EUR twice') },
  });
});
