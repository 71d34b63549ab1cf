import { expect, test } from '@jest/globals';
import { randomTokens } from './random-tokens.js';

const tokens = randomTokens();

test('tokens are 256 bits in base64url and unique', () => {
  const made = Array.from({ length: 10_000 }, () => tokens.random());
  expect(made.filter((token) => !/^[A-Za-z0-9_-]{43}$/.test(token))).toEqual([]);
  expect(made.filter((token) => Buffer.from(token, 'base64url').length !== 32)).toEqual([]);
  expect(new Set(made).size).toBe(10_000);
});

test('digests are SHA-256 of the UTF-8 text', () => {
  const known = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(tokens.digestHex('abc')).toBe(known);
  expect(Buffer.from(tokens.digest('abc')).toString('hex')).toBe(known);
  expect(tokens.digestHex('ü')).toBe(Buffer.from(tokens.digest('\u00fc')).toString('hex'));
});
