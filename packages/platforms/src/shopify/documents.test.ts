import { expect, test } from '@jest/globals';
import { validateResponse, validateDocument } from '@switchboard/simulators';
import { documents } from './documents.js';
import { manifest } from './manifest.js';

test.each(Object.entries(documents))(
  'Shopify’s published schema takes %s, and advises against nothing in it',
  (_name, text) => {
    expect(validateDocument(text)).toEqual({ errors: [], deprecated: [] });
  },
);

test('a field that is not there is told, so that the judge is not blind', () => {
  expect(validateDocument('query { shop { nickname } }').errors).toHaveLength(1);
  expect(validateDocument('query { order(id: "1") { totalPrice } }').deprecated).toHaveLength(1);
});

test('an answer that the schema does not allow is told too', () => {
  const shop = { id: 'gid://shopify/Shop/1', name: 'Kiln', myshopifyDomain: 'kiln.myshopify.com' };
  expect(validateResponse(documents.shop, {}, { shop })).toEqual([]);
  expect(validateResponse(documents.shop, {}, { shop: { ...shop, name: null } })).not.toEqual([]);
  expect(validateResponse(documents.shop, {}, { shop: { ...shop, id: 1 } })).not.toEqual([]);
  expect(validateResponse(documents.shop, {}, { shop: { ...shop, email: 'a@example.test' } })).not.toEqual(
    [],
  );
  expect(validateResponse(documents.order, { id: 'gid://shopify/Order/1' }, { order: null })).toEqual([]);
  expect(validateResponse(documents.order, {}, { order: null })).not.toEqual([]);
});

test('a refund never goes out without an idempotency key', () => {
  expect(documents.refund).toContain('refundCreate(input: $input) @idempotent(key: $key)');
});

test('no amount of shipping is ever asked about, since nobody says in which currency that would be', () => {
  expect(Object.values(documents).join()).not.toContain('shippingAmount');
});

test('the version is one of the dated ones, and its end is known', () => {
  expect(manifest).toMatchObject({ apiVersion: '2026-10', apiVersionEndsOn: '2027-10-01' });
});
