import { expect, test } from '@jest/globals';
import { plainWords } from './plain-words.js';

test.each([
  ['cafe\u0301', 'caf\u00e9'],
  ['one\r\ntwo', 'one\ntwo'],
  [' one  two\n', 'one two'],
])('%j is the same as %j', (one, other) => {
  expect(plainWords(one)).toBe(plainWords(other));
});

test('other words and other letters are not the same', () => {
  expect(plainWords('One two')).not.toBe(plainWords('one two'));
  expect(plainWords('onetwo')).not.toBe(plainWords('one two'));
});
