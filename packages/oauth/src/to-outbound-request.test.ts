import { expect, test } from '@jest/globals';
import type { PlatformRequest } from '@switchboard/domain/ports';
import { toOutboundRequest } from './to-outbound-request.js';

const signal = new AbortController().signal;
const convert = (request: Partial<PlatformRequest>, base = 'https://api.example.com/v1') =>
  toOutboundRequest(
    { method: 'GET', path: '/x', effect: 'read', ...request },
    base,
    ['https://files.example.com'],
    signal,
  );

test('appends path and query to the base URL', () => {
  const query = { a: 'ä&b', n: 1, no: undefined, yes: true, many: ['1', '2'] };
  expect(convert({ query })?.url).toBe(
    'https://api.example.com/v1/x?a=%C3%A4%26b&n=1&yes=true&many=1&many=2',
  );
  expect(convert({ path: '/x?y=1', query: { z: 2 } })?.url).toBe('https://api.example.com/v1/x?y=1&z=2');
});

test.each([
  ['https://evil.example/x'],
  ['http://api.example.com/x'],
  ['https://api.example.com:8443/x'],
  ['https://api.example.com@evil.example/x'],
  ['x'],
  ['javascript:alert(1)'],
])('%s is not an address of the platform', (path) => {
  expect(convert({ path })).toBeNull();
});

test.each([['//evil.example/x'], ['/@evil.example/x'], ['/../x'], ['/\\evil.example/x']])(
  '%s stays on the platform’s host',
  (path) => {
    expect(new URL(convert({ path })?.url ?? 'about:blank').host).toBe('api.example.com');
  },
);

test('an origin that the manifest names is allowed', () => {
  expect(convert({ path: 'https://files.example.com/x' })?.url).toBe('https://files.example.com/x');
});

test('an adapter cannot set the headers that the session sets', () => {
  const headers = { Authorization: 'Bearer x', DPoP: 'y', Cookie: 'z', 'X-Version': '1', Accept: 'text/csv' };
  expect(convert({ headers })?.headers).toEqual({ accept: 'text/csv', 'x-version': '1' });
});

test.each([
  [{ json: { a: [1] } }, '{"a":[1]}', 'application/json'],
  [{ json: null }, 'null', 'application/json'],
  [{ form: { a: 'b c' } }, 'a=b+c', 'application/x-www-form-urlencoded'],
  [{ body: { bytes: new Uint8Array([1]), type: 'image/png' } }, new Uint8Array([1]), 'image/png'],
])('writes %j as a body', (given, body, type) => {
  expect(convert({ method: 'POST', ...given })).toMatchObject({ body, headers: { 'content-type': type } });
});

test('an address that the platform made for one file is requested without credentials, and never without TLS', () => {
  const bare = { omitsCredential: true, path: 'https://uploads.example.net/x?signature=1' };
  expect(convert(bare)?.url).toBe(bare.path);
  expect(convert({ ...bare, path: 'http://uploads.example.net/x' })).toBeNull();
  expect(convert({ ...bare, path: 'ftp://uploads.example.net/x' }, 'http://127.0.0.1:3000')).toBeNull();
  expect(convert({ ...bare, path: 'http://127.0.0.1:3001/x' }, 'http://127.0.0.1:3000')?.url).toBe(
    'http://127.0.0.1:3001/x',
  );
});
