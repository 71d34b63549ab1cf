import { expect, test } from '@jest/globals';
import { judgeAnswer, judgeDocument } from '@switchboard/simulators';
import { documents } from './documents.js';
import { manifest } from './manifest.js';

test.each(Object.entries(documents))(
  'Shopify’s published schema takes %s, and advises against nothing in it',
  (_name, text) => {
    expect(judgeDocument(text)).toEqual({ errors: [], deprecated: [] });
  },
);

test('a field that is not there is told, so that the judge is not blind', () => {
  expect(judgeDocument('query { shop { nickname } }').errors).toHaveLength(1);
  expect(judgeDocument('query { order(id: "1") { totalPrice } }').deprecated).toHaveLength(1);
});

test('an answer that the schema does not allow is told too', () => {
  const shop = { id: 'gid://shopify/Shop/1', name: 'Kiln', myshopifyDomain: 'kiln.myshopify.com' };
  expect(judgeAnswer(documents.shop, {}, { shop })).toEqual([]);
  expect(judgeAnswer(documents.shop, {}, { shop: { ...shop, name: null } })).not.toEqual([]);
  expect(judgeAnswer(documents.shop, {}, { shop: { ...shop, id: 1 } })).not.toEqual([]);
  expect(judgeAnswer(documents.shop, {}, { shop: { ...shop, email: 'a@example.test' } })).not.toEqual([]);
  expect(judgeAnswer(documents.order, { id: 'gid://shopify/Order/1' }, { order: null })).toEqual([]);
  expect(judgeAnswer(documents.order, {}, { order: null })).not.toEqual([]);
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
