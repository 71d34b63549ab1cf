import { expect, test } from '@jest/globals';
import { readTokenResponse } from './token-response.js';

const now = new Date('2026-11-22T12:00:00Z');
const good = { access_token: 'a', token_type: 'Bearer', expires_in: 3600, refresh_token: 'r', scope: 'x y' };

test('reads a response as RFC 6749 describes it', () => {
  expect(readTokenResponse(good, now)).toEqual({
    accessToken: 'a',
    refreshToken: 'r',
    expiresInSeconds: 3600,
    scope: ['x', 'y'],
  });
});

test.each([
  ['a lower-case type', { token_type: 'bearer' }, {}],
  ['no type', { token_type: undefined }, {}],
  ['no lifetime', { expires_in: undefined }, { expiresInSeconds: null }],
  ['a lifetime as text', { expires_in: '60' }, { expiresInSeconds: 60 }],
  ['no refresh token', { refresh_token: undefined }, { refreshToken: null }],
  ['an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
  [
    'an expiry in place of a lifetime',
    { expires_in: undefined, expires_at: new Date('2026-12-22T12:00:00Z') },
    { expiresInSeconds: 30 * 86_400 },
  ],
  [
    'a lifetime and an expiry, of which the lifetime applies',
    { expires_at: new Date('2030-01-01T00:00:00Z') },
    { expiresInSeconds: 3600 },
  ],
  ['scopes with commas', { scope: 'x,y' }, { scope: ['x', 'y'] }],
  ['no scope', { scope: undefined }, { scope: null }],
])('accepts %s', (_what, change, expected) => {
  expect(readTokenResponse({ ...good, ...change }, now)).toMatchObject(expected);
});

test.each([
  ['a token of another type', { token_type: 'mac' }],
  ['no token', { access_token: undefined }],
  ['an empty token', { access_token: '' }],
  ['a token that would break out of its header', { access_token: 'a\r\nx: y' }],
  ['an overlong token', { access_token: 'a'.repeat(20_000) }],
  ['a lifetime of zero', { expires_in: 0 }],
  ['a negative lifetime', { expires_in: -1 }],
  ['a lifetime beyond ten years', { expires_in: 400_000_000 }],
  ['an invalid lifetime', { expires_in: 'soon' }],
  ['an expiry in the past', { expires_in: undefined, expires_at: new Date('2026-11-22T11:59:59Z') }],
  ['an invalid expiry', { expires_in: undefined, expires_at: new Date('soon') }],
  ['an expiry beyond ten years', { expires_in: undefined, expires_at: new Date('2037-01-01T00:00:00Z') }],
])('rejects %s', (_what, change) => {
  expect(readTokenResponse({ ...good, ...change }, now)).toBeNull();
});

test.each([[null], ['text'], [undefined], [[]]])('rejects %p', (answer) => {
  expect(readTokenResponse(answer, now)).toBeNull();
});
