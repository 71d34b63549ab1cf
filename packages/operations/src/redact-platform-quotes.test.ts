import { expect, test } from '@jest/globals';
import type { ApiKey } from '@switchboard/domain';
import { createSuccessResponse } from './operation-response.js';
import { redactPlatformQuotes } from './redact-platform-quotes.js';
import { makeThing } from './testing/setup-dispatch.js';

const platformQuote = { platform: { name: 'Store', code: '42', message: 'Ana Ruiz has no card' } };
const response = createSuccessResponse(
  200,
  { ...platformQuote, data: [{ id: 'a', platform: 'store', error: platformQuote }] },
  null,
);
const key = (hidePersonalData: boolean) => ({ policy: { hidePersonalData } }) as ApiKey;
const orders = makeThing({ scope: 'orders:read' });

test('a key that hides personal data is told nothing in a store’s own words, wherever they stand', () => {
  const { value, body } = redactPlatformQuotes(response, orders, key(true));
  expect(body).not.toContain('Ana');
  expect(JSON.parse(body)).toEqual(value);
  const words = { name: 'Store', code: '42', message: '***' };
  expect(value).toEqual({
    platform: words,
    data: [{ id: 'a', platform: 'store', error: { platform: words } }],
  });
});

test('another key, and what is not about orders, are told as it was said', () => {
  expect(redactPlatformQuotes(response, orders, key(false))).toBe(response);
  expect(redactPlatformQuotes(response, orders, null)).toBe(response);
  expect(redactPlatformQuotes(response, makeThing({ scope: 'posts:write' }), key(true))).toBe(response);
});
