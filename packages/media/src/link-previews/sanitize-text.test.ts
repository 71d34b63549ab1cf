import { expect, test } from '@jest/globals';
import { sanitizeText } from './sanitize-text.js';

test.each([
  ['  a\n\t b  ', 'a b'],
  ['a\u202eb\u0000c\u200bd\ufeff', 'a b c d'],
  ['👨‍👩‍👧‍👦 stays', '👨‍👩‍👧‍👦 stays'],
  ['', ''],
])('%j is written as %j', (text, line) => expect(sanitizeText(text, 100)).toBe(line));

test('an overlong text ends with an ellipsis, and no character is split', () => {
  expect(sanitizeText('👨‍👩‍👧‍👦'.repeat(5), 5)).toBe('👨‍👩‍👧‍👦'.repeat(5));
  expect(sanitizeText('👨‍👩‍👧‍👦'.repeat(6), 5)).toBe(`${'👨‍👩‍👧‍👦'.repeat(4)}…`);
});

test('combining characters alone do not grow without limit', () => {
  const line = sanitizeText(`a${'\u0301'.repeat(100_000)}`, 10);
  expect(line.length).toBeLessThanOrEqual(200);
  expect(line.isWellFormed()).toBe(true);
});
