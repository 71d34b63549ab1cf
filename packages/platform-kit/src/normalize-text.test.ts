import { expect, test } from '@jest/globals';
import { normalizeText } from './normalize-text.js';

test.each([
  ['cafe\u0301', 'caf\u00e9'],
  ['one\r\ntwo', 'one\ntwo'],
  [' one  two\n', 'one two'],
])('%j equals %j', (one, other) => {
  expect(normalizeText(one)).toBe(normalizeText(other));
});

test('other words and other letters are not equal', () => {
  expect(normalizeText('One two')).not.toBe(normalizeText('one two'));
  expect(normalizeText('onetwo')).not.toBe(normalizeText('one two'));
});
