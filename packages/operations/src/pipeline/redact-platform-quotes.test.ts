import { expect, test } from '@jest/globals';
import type { ApiKey } from '@switchboard/domain/access';
import { createSuccessResponse } from './operation-response.js';
import { redactPlatformQuotes } from './redact-platform-quotes.js';
import { makeThing } from '../testing/setup-dispatch.js';

const platformQuote = { platform: { name: 'Store', code: '42', message: 'Ana Ruiz has no card' } };
const response = createSuccessResponse(
  200,
  { ...platformQuote, data: [{ id: 'a', platform: 'store', error: platformQuote }] },
  null,
);
const key = (hidePersonalData: boolean) => ({ policy: { hidePersonalData } }) as ApiKey;
const orders = makeThing({ scope: 'orders:read' });

test('hides every text of the store from a key without access to personal data, at any depth', () => {
  const { value, body } = redactPlatformQuotes(response, orders, key(true));
  expect(body).not.toContain('Ana');
  expect(JSON.parse(body)).toEqual(value);
  const words = { name: 'Store', code: '42', message: '***' };
  expect(value).toEqual({
    platform: words,
    data: [{ id: 'a', platform: 'store', error: { platform: words } }],
  });
});

test('returns the texts to other keys and outside of orders unchanged', () => {
  expect(redactPlatformQuotes(response, orders, key(false))).toBe(response);
  expect(redactPlatformQuotes(response, orders, null)).toBe(response);
  expect(redactPlatformQuotes(response, makeThing({ scope: 'posts:write' }), key(true))).toBe(response);
});
