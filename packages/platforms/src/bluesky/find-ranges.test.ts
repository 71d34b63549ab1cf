import { describe, expect, test } from '@jest/globals';
import { indexOfLink } from '@switchboard/platform-kit/append-link';
import { findRanges } from './find-ranges.js';

/** The ranges found, with the text that each covers. */
const found = (text: string, link: string | null = null) =>
  findRanges(text, link).map((range) => {
    const piece = text.slice(range.start, range.end);
    switch (range.kind) {
      case 'link':
        expect(range.uri).toBe(piece);
        return `link ${piece}`;
      case 'mention':
        expect(`@${range.handle}`).toBe(piece.toLowerCase());
        return `mention ${piece}`;
      case 'tag':
        expect(range.tag).toBe(piece.slice(1));
        return `tag ${piece}`;
    }
  });

describe('links', () => {
  test.each([
    ['see https://example.com now', ['link https://example.com']],
    ['https://example.com', ['link https://example.com']],
    ['HTTPS://Example.com/A', ['link HTTPS://Example.com/A']],
    ['https://a.example\nhttp://b.example', ['link https://a.example', 'link http://b.example']],
    [
      'read https://example.com/a, then https://example.com/b.',
      ['link https://example.com/a', 'link https://example.com/b'],
    ],
    ['really https://example.com/a?!', ['link https://example.com/a']],
    ['(https://example.com)', ['link https://example.com']],
    ['(see https://example.com/a).', ['link https://example.com/a']],
    ['https://en.wikipedia.org/wiki/Foo_(bar)', ['link https://en.wikipedia.org/wiki/Foo_(bar)']],
    ['(https://en.wikipedia.org/wiki/Foo_(bar)).', ['link https://en.wikipedia.org/wiki/Foo_(bar)']],
    ['https://example.com/a?b=c&d=e#f', ['link https://example.com/a?b=c&d=e#f']],
    ['https://example.com/漢字/🦋', ['link https://example.com/漢字/🦋']],
    ['https:// alone', []],
    ['https://?', []],
    ['ftp://example.com', []],
    ['nothttps://example.com', []],
    ['report.pdf and example.com', []],
  ])('in %j', (text, expected) => expect(found(text)).toEqual(expected));
});

describe('mentions', () => {
  test.each([
    ['@alice.test hi', ['mention @alice.test']],
    ['hi @Alice.Bsky.social!', ['mention @Alice.Bsky.social']],
    ['(@alice.test)', ['mention @alice.test']],
    ['@alice.test.', ['mention @alice.test']],
    ['@alice.test, @bob.test', ['mention @alice.test', 'mention @bob.test']],
    ['@xn--ls8h.test', ['mention @xn--ls8h.test']],
    ['@alice', []],
    ['mail alice@example.com', []],
    ['@-alice.test', []],
    ['@alice.123', []],
    ['🦋@alice.test', []],
  ])('in %j', (text, expected) => expect(found(text)).toEqual(expected));
});

describe('tags', () => {
  test.each([
    ['#one #two', ['tag #one', 'tag #two']],
    ['end #tag.', ['tag #tag']],
    ['#tag-with-dash!', ['tag #tag-with-dash']],
    ['＃漢字', ['tag ＃漢字']],
    ['#🦋', ['tag #🦋']],
    ['#1 and #2026', []],
    ['#4you', ['tag #4you']],
    ['a#b', []],
    ['#', []],
    ['#!', []],
    ['#️⃣', []],
    ['##double', ['tag ##double']],
    [`#${'a'.repeat(64)}`, [`tag #${'a'.repeat(64)}`]],
    [`#${'a'.repeat(65)}`, []],
  ])('in %j', (text, expected) => expect(found(text)).toEqual(expected));
});

describe('ranges never overlap', () => {
  test.each([
    ['https://example.com/#tag', ['link https://example.com/#tag']],
    ['https://example.com/(@alice.test)', ['link https://example.com/(@alice.test)']],
    ['#tag(@alice.test', ['mention @alice.test']],
  ])('in %j', (text, expected) => expect(found(text)).toEqual(expected));
});

test('ranges come in the order of the text', () => {
  expect(found('#a @b.test https://c.example')).toEqual([
    'tag #a',
    'mention @b.test',
    'link https://c.example',
  ]);
});

describe('the post’s own link', () => {
  test('is one where the app would not detect it', () => {
    expect(found('見てhttps://example.com/x', 'https://example.com/x')).toEqual([
      'link https://example.com/x',
    ]);
  });
  test('is not the beginning of a longer one', () => {
    expect(indexOfLink('https://example.com/abc', 'https://example.com/a')).toBe(-1);
    expect(indexOfLink('https://example.com/', 'https://example.com')).toBe(-1);
    expect(indexOfLink('https://example.com/abc https://example.com/a', 'https://example.com/a')).toBe(24);
  });
  test('may end a sentence', () => {
    expect(indexOfLink('(https://example.com/a).', 'https://example.com/a')).toBe(1);
  });
});
