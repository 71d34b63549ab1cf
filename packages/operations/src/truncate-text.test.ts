import { expect, test } from '@jest/globals';
import { truncateText } from './truncate-text.js';

test('a text that is too long ends with an ellipsis, and never within a character', () => {
  expect(truncateText('kiln', 4)).toBe('kiln');
  expect(truncateText('kilns', 4)).toBe('kiln…');
  expect(truncateText('kil🔥s', 4)).toBe('kil…');
  expect(truncateText('kil🔥s', 5)).toBe('kil🔥…');
});
