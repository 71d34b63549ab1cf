import { expect, test } from '@jest/globals';
import { formatPrice } from '@switchboard/domain';
import { itemOf } from '../kit/testing/calls.js';
import { optionsOf, rules } from './rules.js';

test.each([
  ['Plain', null, '0.015'],
  ['With https://example.com/ in it', null, '0.20'],
  ['With example.com in it', null, '0.20'],
  ['With a link beside it', 'https://example.com/', '0.20'],
])('%s costs %s, with the link %s', (text, link, usd) => {
  expect(formatPrice(rules.cost(itemOf(text, { link })))).toBe(usd);
});

test.each([
  ['$AAPL', []],
  ['It costs $5 and $10', []],
  ['$AAPL and $TSLA', ['text.too_many_cashtags']],
  ['$BRK.B, $AAPL', ['text.too_many_cashtags']],
  ['US$AAPL $TSLA', []],
])('%j has %j cashtags too many', (text, codes) => {
  expect(rules.check(itemOf(text)).map(({ code }) => code)).toEqual(codes);
});

test('options of another shape are none', () => {
  expect(optionsOf({ options: { reply_settings: 'following', made_with_ai: true } })).toEqual({
    ...{ reply_settings: 'following', made_with_ai: true },
  });
  expect(optionsOf({ options: { reply_settings: 'nobody' } })).toEqual({});
});
