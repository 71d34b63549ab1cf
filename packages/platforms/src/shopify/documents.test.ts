import { expect, test } from '@jest/globals';
import { validateResponse, validateDocument } from '@switchboard/simulators';
import { documents } from './documents.js';
import { manifest } from './manifest.js';

test.each(Object.entries(documents))(
  'Shopify’s published schema accepts %s, without deprecated fields',
  (_name, text) => {
    expect(validateDocument(text)).toEqual({ errors: [], deprecated: [] });
  },
);

test('an unknown field is reported, so the validator is effective', () => {
  expect(validateDocument('query { shop { nickname } }').errors).toHaveLength(1);
  expect(validateDocument('query { order(id: "1") { totalPrice } }').deprecated).toHaveLength(1);
});

test('a response that violates the schema is reported too', () => {
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

test('a refund is never sent without an idempotency key', () => {
  expect(documents.refund).toContain('refundCreate(input: $input) @idempotent(key: $key)');
});

test('no shipping amount is ever quoted, since its currency is undocumented', () => {
  expect(Object.values(documents).join()).not.toContain('shippingAmount');
});

test('the version is a dated one, and its end is known', () => {
  expect(manifest).toMatchObject({ apiVersion: '2026-10', apiVersionEndsOn: '2027-10-01' });
});
