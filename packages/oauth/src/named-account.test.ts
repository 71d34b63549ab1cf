import { expect, test } from '@jest/globals';
import type { NamedAccount } from '@switchboard/domain/ports';
import { resolveAccountOrigins, parseAccountName } from './named-account.js';

const label = '[a-z0-9][a-z0-9-]{0,59}';
const shop: NamedAccount = {
  field: 'shop',
  patterns: [
    new RegExp(`^(${label})$`),
    new RegExp(`^(?:https://)?(${label})\\.myshopify\\.com(?:/.*)?$`),
    new RegExp(`^(?:https://)?admin\\.shopify\\.com/store/(${label})(?:[/?#].*)?$`),
  ],
  location: { kind: 'origin', origin: 'https://{name}.myshopify.com' },
};
const noOrigins = { baseUrl: null, authBaseUrl: null };

test.each([
  'acme',
  ' Acme ',
  'acme.myshopify.com',
  'https://acme.myshopify.com/',
  'https://acme.myshopify.com/admin/orders?x=1',
  'https://admin.shopify.com/store/acme',
  'admin.shopify.com/store/ACME/settings',
  'ac\u200bme.myshopify.com',
])('%j is acme', (typed) => expect(parseAccountName(shop, { shop: typed })).toBe('acme'));

test.each([
  '',
  '-acme',
  'acme.example',
  'acme.myshopify.com.evil.example',
  'evil.example/acme.myshopify.com',
  'https://evil.example#.myshopify.com',
  'https://evil.example\\.myshopify.com',
  'https://me@acme.myshopify.com',
  'http://acme.myshopify.com',
  'acme.myshopify.com:8443',
  'acme.evil.myshopify.com',
  'acme%2eevil',
  'аcme',
  '127.0.0.1',
  'a'.repeat(61),
  `acme.myshopify.com/${'a'.repeat(400)}`,
])('%j is rejected', (typed) => expect(parseAccountName(shop, { shop: typed })).toBeNull());

test('a shop has its own host, which also serves its OAuth endpoints', () => {
  const own = 'https://acme.myshopify.com';
  expect(resolveAccountOrigins(shop, 'acme', noOrigins)).toEqual({ server: own, authBaseUrl: own });
});

test('the operator’s override replaces the shops’ hosts', () => {
  const proxy = { baseUrl: 'http://127.0.0.1:1', authBaseUrl: 'http://127.0.0.1:2' };
  expect(resolveAccountOrigins(shop, 'acme', proxy)).toEqual({
    server: proxy.baseUrl,
    authBaseUrl: proxy.authBaseUrl,
  });
});

test('a store with a path has its API there and shares the common OAuth endpoints', () => {
  const store: NamedAccount = { ...shop, location: { kind: 'path', path: '/stores/{name}' } };
  const origins = { baseUrl: 'https://api.example', authBaseUrl: 'https://login.example' };
  expect(resolveAccountOrigins(store, 'abc', origins)).toEqual({
    server: 'https://api.example/stores/abc',
    authBaseUrl: 'https://login.example',
  });
});
