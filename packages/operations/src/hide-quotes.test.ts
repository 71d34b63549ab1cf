import { expect, test } from '@jest/globals';
import type { ApiKey } from '@switchboard/domain';
import { success } from './answer.js';
import { hideQuotes } from './hide-quotes.js';
import { makeThing } from './testing/desk.js';

const said = { platform: { name: 'Store', code: '42', message: 'Ana Ruiz has no card' } };
const answer = success(200, { ...said, data: [{ id: 'a', platform: 'store', error: said }] }, null);
const key = (hidePersonalData: boolean) => ({ policy: { hidePersonalData } }) as ApiKey;
const orders = makeThing({ scope: 'orders:read' });

test('a key that hides personal data is told nothing in a store’s own words, wherever they stand', () => {
  const { value, body } = hideQuotes(answer, orders, key(true));
  expect(body).not.toContain('Ana');
  expect(JSON.parse(body)).toEqual(value);
  const words = { name: 'Store', code: '42', message: '***' };
  expect(value).toEqual({
    platform: words,
    data: [{ id: 'a', platform: 'store', error: { platform: words } }],
  });
});

test('another key, and what is not about orders, are told as it was said', () => {
  expect(hideQuotes(answer, orders, key(false))).toBe(answer);
  expect(hideQuotes(answer, orders, null)).toBe(answer);
  expect(hideQuotes(answer, makeThing({ scope: 'posts:write' }), key(true))).toBe(answer);
});
