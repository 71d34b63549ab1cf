import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import { verifyCallbackSignature } from './verify-callback-signature.js';

const facts = { parameter: 'hmac', timestamp: 'timestamp' };
const secret = new Secret('hush');
const now = new Date(1_337_178_173_000);

/** The example from Shopify's documentation. */
const documented = {
  code: '0907a61c0c8d55e99db179b68161bc00',
  hmac: '700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf',
  shop: 'some-shop.myshopify.com',
  state: '0.6784241404160823',
  timestamp: '1337178173',
};
const { hmac, ...signed } = documented;
const sign = (text: string, key = 'hush') => createHmac('sha256', key).update(text).digest('hex');

test('the documented example verifies in any parameter order', () => {
  expect(verifyCallbackSignature(facts, documented, secret, now)).toBe(true);
  const reordered = Object.fromEntries(Object.entries(documented).reverse());
  expect(verifyCallbackSignature(facts, reordered, secret, now)).toBe(true);
});

test('other characters are signed in their form encoding', () => {
  const unusualQuery = { ...signed, host: 'YWRt/a+4=', state: 'a b&c=d%' };
  const text = new URLSearchParams(Object.entries(unusualQuery).sort()).toString();
  expect(verifyCallbackSignature(facts, { ...unusualQuery, hmac: sign(text) }, secret, now)).toBe(true);
});

test.each<[string, Record<string, string | undefined>]>([
  ['without a signature', { hmac: undefined }],
  ['with an empty signature', { hmac: '' }],
  ['with a signature in capitals', { hmac: hmac.toUpperCase() }],
  ['with half a signature', { hmac: hmac.slice(0, 32) }],
  ['with a longer signature', { hmac: `${hmac}00` }],
  ['with a signature of another app', { hmac: sign(new URLSearchParams(signed).toString(), 'other') }],
  ['with another shop', { shop: 'evil.myshopify.com' }],
  ['with another code', { code: '1907a61c0c8d55e99db179b68161bc00' }],
  ['with one parameter more', { host: 'x' }],
  ['with one parameter less', { state: undefined }],
  [
    'with two parameters merged into one',
    { shop: undefined, code: `${documented.code}&shop=${documented.shop}` },
  ],
  [
    'without a timestamp',
    { timestamp: undefined, hmac: sign('code=c'), code: 'c', shop: undefined, state: undefined },
  ],
])('%s does not verify', (_what, change) => {
  const changed = Object.entries({ ...documented, ...change }).filter(([, value]) => value !== undefined);
  expect(
    verifyCallbackSignature(facts, Object.fromEntries(changed) as Record<string, string>, secret, now),
  ).toBe(false);
});

test.each([
  [300, true],
  [301, false],
  [-300, true],
  [-301, false],
])('%d seconds after signing: %p', (seconds, isValid) => {
  expect(verifyCallbackSignature(facts, documented, secret, new Date(now.getTime() + seconds * 1_000))).toBe(
    isValid,
  );
});
