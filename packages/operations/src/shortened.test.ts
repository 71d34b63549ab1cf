import { expect, test } from '@jest/globals';
import { shortened } from './shortened.js';

test('a text that is too long ends with a mark, and never in half a character', () => {
  expect(shortened('kiln', 4)).toBe('kiln');
  expect(shortened('kilns', 4)).toBe('kiln…');
  expect(shortened('kil🔥s', 4)).toBe('kil…');
  expect(shortened('kil🔥s', 5)).toBe('kil🔥…');
});
