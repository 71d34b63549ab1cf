import { RichText } from '@atproto/api';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from './code-points.js';
import { emojiAsBytes } from './emoji-as-bytes.js';
import { graphemes } from './graphemes.js';
import { hashtags } from './hashtags.js';
import { mastodonCharacters } from './mastodon-characters.js';
import { utf16Units } from './utf16-units.js';
import { utf8Bytes } from './utf8-bytes.js';
import { weighted } from './weighted.js';
import { xLinks } from './x-links.js';

const rules = {
  codePoints,
  emojiAsBytes,
  graphemes,
  hashtags,
  mastodonCharacters: (text: string) => mastodonCharacters(text, 23),
  utf16Units,
  utf8Bytes,
  weighted,
};

const pieces = [
  ...[
    'http://',
    'https://t.co/',
    'a',
    'example',
    '.',
    '.com',
    '.co.uk',
    '/',
    '?q=',
    '#',
    '＃',
    '@',
    '-',
    '_',
    '(',
    ')',
    '1',
  ],
  ...['漢', 'é', 'e\u0301', '\u0316', '\u200d', '\ufe0f', '\u20e3', '한', 'ᄀ', '😀', '👨‍👩‍👧‍👦', '🇪🇸', '🇪', '🏽'],
  ...['\ud83d', '\ude00', '\0', '\r\n', ' ', '\u202e', '\uffff', 'xn--'],
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...pieces), maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
/** Fixed, so that the same commit gives the same result. */
const SEED = 20_261_122;

const always = (holds: (text: string) => void) =>
  fc.assert(fc.property(anyText, holds), { numRuns: 500, seed: SEED });

describe.each(Object.entries(rules))('%s', (_name, count) => {
  test('returns a non-negative integer for any string', () =>
    always((text) => {
      expect(Number.isInteger(count(text))).toBe(true);
      expect(count(text)).toBeGreaterThanOrEqual(0);
    }));

  test('returns 0 for an empty text', () => expect(count('')).toBe(0));
});

test('counts the same graphemes as Bluesky’s own library, and the same bytes', () =>
  always((text) => {
    const theirs = new RichText({ text });
    expect([graphemes(text), utf8Bytes(text)]).toEqual([theirs.graphemeLength, theirs.length]);
  }));

test('graphemes ≤ code points ≤ UTF-16 units ≤ bytes', () =>
  always((text) => {
    const counts = [graphemes(text), codePoints(text), utf16Units(text), utf8Bytes(text)];
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
  }));

test('non-emoji count 1 and an emoji counts its bytes: between code points and bytes', () =>
  always((text) => {
    expect(emojiAsBytes(text)).toBeGreaterThanOrEqual(codePoints(text));
    expect(emojiAsBytes(text)).toBeLessThanOrEqual(utf8Bytes(text));
  }));

test('X’s weight is that of the text in NFC, for every normalization form', () =>
  always((text) => {
    expect(weighted(text.normalize('NFD'))).toBe(weighted(text.normalize('NFC')));
    expect(weighted(text)).toBe(weighted(text.normalize('NFC')));
  }));

test('X’s links are in order, never overlap and never split a character', () =>
  always((text) => {
    let at = 0;
    for (const { start, end } of xLinks(text)) {
      expect(start).toBeGreaterThanOrEqual(at);
      expect(end).toBeGreaterThan(start);
      for (const edge of [start, end])
        expect(
          /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(edge - 1, 0), edge + 1)) && edge > 0,
        ).toBe(false);
      at = end;
    }
  }));

test('words separated by a space count as their sum plus the space', () => {
  const word = fc.constantFrom(
    'one',
    '漢字',
    '😀',
    'https://example.com/a(b)',
    'example.com',
    '#tag',
    '@a@b.example',
    'é',
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      for (const count of [rules.weighted, rules.mastodonCharacters, rules.emojiAsBytes, rules.graphemes])
        expect(count(words.join(' '))).toBe(words.reduce((sum, each) => sum + count(each), words.length - 1));
    }),
    { seed: SEED },
  );
});

const hostile = [
  '漢',
  'a.',
  'a.com..',
  'a_b.com/',
  'http://',
  'http://a.com/(',
  '@a@',
  '#漢_',
  'a.com/!',
  '\u0316\u0301',
  '👨\u200d',
  '🇪',
  '\ud83d',
];

/** Processor time in ms, because wall-clock time grows on a busy machine; the least of three runs. */
function costOf(count: (text: string) => number, text: string): number {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    count(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...costs);
}

test.each(Object.entries(rules))('%s counts long texts of any kind in linear time', (_name, count) => {
  for (const piece of hostile) {
    const short = piece.repeat(Math.ceil(5000 / piece.length));
    const growth = costOf(count, short.repeat(6)) / Math.max(costOf(count, short), 1);
    // Linear is 6, quadratic is 36.
    expect([piece, growth < 18 || growth]).toEqual([piece, true]);
  }
});
