import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { weighted } from './weighted.js';
import { xLinks } from './x-links.js';

const published = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/twitter-text/${file}`, import.meta.url), 'utf8'));

const lengths = z
  .array(
    z.object({
      description: z.string(),
      text: z.array(z.tuple([z.string(), z.number()])),
      weightedLength: z.number(),
      utf16Units: z.number(),
    }),
  )
  .parse(published('weighted-lengths.json'))
  .map(({ text, ...rest }) => ({
    ...rest,
    text: text.map(([piece, times]) => piece.repeat(times)).join(''),
  }));

const urls = z.array(z.object({ text: z.string(), urls: z.array(z.string()) })).parse(published('urls.json'));

describe('by the conformance tests of twitter-text', () => {
  test.each(lengths)('$description', ({ text, weightedLength, utf16Units }) => {
    expect([weighted(text), text.length]).toEqual([weightedLength, utf16Units]);
  });

  test.each(urls.map(({ text, urls }) => [text, urls] as const))(
    'finds the links of %j',
    (text, expected) => {
      expect([...xLinks(text)].map(({ start, end }) => text.slice(start, end))).toEqual(expected);
    },
  );

  test('a link with a label of thousands of characters counts in full, and the short one after it as a link', () => {
    const long = `https://${'somesuperlongurl'.repeat(250)}.com/foo `;
    expect(weighted(`${long.repeat(3)}https://validurl.com`)).toBe(3 * long.length + 23);
  });
});

describe('emoji', () => {
  test.each([
    ['of the newest Unicode are 2', '🫩🐦‍🔥🫱🏻‍🫲🏿', 6],
    ['that are keycaps are 2, with and without a selector', '1️⃣1⃣', 4],
    ['that are flags are 2, half a flag too', '🇪🇸🇪', 4],
    ['with a selector before the skin tone are 2', '☝️🏽☝🏽', 4],
    ['that nobody has drawn joined count each, and the joiner', '👩‍👩', 5],
    ['that are text without a selector count as characters', '©®', 2],
    ['that are text without a selector are 2 with one', '©️', 2],
  ])('%s', (_rule, text, weight) => expect(weighted(text)).toBe(weight));
});

test('a half of a surrogate pair counts 2', () => {
  expect(weighted('a\ud83d')).toBe(3);
  expect(weighted('\ude00a')).toBe(3);
});

test('one mark too many in a row does not change what the others are composed to', () => {
  expect(weighted(`e\u0301${'\u0301'.repeat(100)}`)).toBe(101);
});
