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

  test('a link with a label of thousands of characters counts in full, and the short one after it counts as a link', () => {
    const long = `https://${'somesuperlongurl'.repeat(250)}.com/foo `;
    expect(weighted(`${long.repeat(3)}https://validurl.com`)).toBe(3 * long.length + 23);
  });
});

describe('emoji', () => {
  test.each([
    ['of the newest Unicode version count 2', '🫩🐦‍🔥🫱🏻‍🫲🏿', 6],
    ['that are keycaps count 2, with and without a selector', '1️⃣1⃣', 4],
    ['that are flags count 2, and so does half a flag', '🇪🇸🇪', 4],
    ['with a selector before the skin tone count 2', '☝️🏽☝🏽', 4],
    ['whose joined form is not in Unicode count each, and the joiner too', '👩‍👩', 5],
    ['that are text without a selector count as characters', '©®', 2],
    ['that are text without a selector count 2 with one', '©️', 2],
  ])('%s', (_rule, text, weight) => expect(weighted(text)).toBe(weight));
});

test('half of a surrogate pair counts 2', () => {
  expect(weighted('a\ud83d')).toBe(3);
  expect(weighted('\ude00a')).toBe(3);
});

test('one combining mark above the chunk size does not change how the others are composed', () => {
  expect(weighted(`e\u0301${'\u0301'.repeat(100)}`)).toBe(101);
});
