import { domainToASCII } from 'node:url';
import { expect, test } from '@jest/globals';
import { punycodeLength } from './punycode-length.js';

test.each([
  'bücher',
  '日本語',
  'пример',
  'faß',
  '例え',
  '☃',
  '😀',
  'a-例-b',
  'ελληνικά',
  'あいうえおかきくけこさしすせそ',
  'ü',
])('has as many characters as the encoding of Node.js: %s', (label) =>
  expect(punycodeLength(label)).toBe(domainToASCII(label).length - 'xn--'.length),
);

test('also counts labels that are not valid host names', () => {
  expect(punycodeLength('👨‍👩‍👧‍👦')).toBe('1ugaa20709bdadi'.length);
});
