import { expect, test } from '@jest/globals';
import type { ApiKey } from '@switchboard/domain/access';
import { createSuccessResponse } from './operation-response.js';
import { redactPlatformQuotes } from './redact-platform-quotes.js';
import { catalog } from '../catalog.js';

const platformQuote = { platform: { name: 'Store', code: '42', message: 'Ana Ruiz has no card' } };
const response = createSuccessResponse(
  200,
  { ...platformQuote, data: [{ id: 'a', platform: 'store', error: platformQuote }] },
  null,
);
const key = (hidePersonalData: boolean) => ({ policy: { hidePersonalData } }) as ApiKey;

test('hides every text of the store from a key without access to personal data, at any depth', () => {
  const { value, body } = redactPlatformQuotes(response, key(true));
  expect(body()).not.toContain('Ana');
  expect(JSON.parse(body())).toEqual(value);
  const words = { name: 'Store', code: '42', message: '***' };
  expect(value).toEqual({
    platform: words,
    data: [{ id: 'a', platform: 'store', error: { platform: words } }],
  });
});

test('returns the texts to other keys unchanged', () => {
  expect(redactPlatformQuotes(response, key(false))).toBe(response);
});

test('applies to every operation on orders and refunds, and to no other', () => {
  const redacted = catalog.filter(({ redact }) => redact === redactPlatformQuotes);
  const ofStores = catalog.filter(({ scope }) => scope === 'orders:read' || scope === 'refunds:write');
  expect(redacted.map(({ name }) => name)).toEqual(ofStores.map(({ name }) => name));
});
