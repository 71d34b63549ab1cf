import { expect, test } from '@jest/globals';
import { findUnsafeJson } from './find-unsafe-json.js';

const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;

test('finds a field named __proto__ at any depth, and accepts similar names', () => {
  expect(findUnsafeJson(JSON.parse('{"__proto__":1}'))).toMatchObject({
    path: '__proto__',
    code: 'field.unknown',
  });
  expect(findUnsafeJson(JSON.parse('{"a":[{"b":{"__proto__":{}}}]}'))).toMatchObject({
    path: 'a.0.b.__proto__',
  });
  expect(findUnsafeJson({ metadata: { constructor: 'x', proto: '__proto__' } })).toBeNull();
});

test('rejects nesting beyond the maximum, however deep it is', () => {
  expect(findUnsafeJson(nested(32))).toBeNull();
  for (const depth of [34, 200_000])
    expect(findUnsafeJson(nested(depth))).toMatchObject({ code: 'field.too_deep', path: 'a.a.a' });
});

test('accepts plain values', () => {
  for (const value of [null, 1, 'x', {}, [], { a: [1, { b: null }] }])
    expect(findUnsafeJson(value)).toBeNull();
});
