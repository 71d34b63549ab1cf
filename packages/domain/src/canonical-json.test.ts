import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('is the same text regardless of member order, at any depth', () => {
    const one = { b: [{ d: 1, c: null }], a: 'x' };
    const other = { a: 'x', b: [{ c: null, d: 1 }] };
    expect(canonicalJson(one)).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });

  it('keeps the order of a list, which is significant', () => {
    expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
  });

  it('represents values that JSON lacks', () => {
    expect(canonicalJson(undefined)).toBe('null');
  });
});
