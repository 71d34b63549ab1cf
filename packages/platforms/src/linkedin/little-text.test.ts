import { expect, test } from '@jest/globals';
import { toLittleText, parseLittleText, toVisibleText } from './little-text.js';

test.each([
  ['plain words', 'plain words'],
  ['1 < 2 (or *so*)', '1 \\< 2 \\(or \\*so\\*\\)'],
  ['a\\b|c{d}~e', 'a\\\\b\\|c\\{d\\}\\~e'],
  ['mail me@example.com', 'mail me\\@example.com'],
  ['#Spring', '{hashtag|\\#|Spring}'],
  ['(#Größe_1!)', '\\({hashtag|\\#|Größe\\_1}!\\)'],
  ['C# is not a tag, nor #1, nor R&#D', 'C\\# is not a tag, nor \\#1, nor R&\\#D'],
  ['https://example.com/a_b(c)#part', 'https://example.com/a\\_b\\(c\\)\\#part'],
  [
    'With @[Field Bakery](urn:li:organization:2414183), #bread',
    'With @[Field Bakery](urn:li:organization:2414183), {hashtag|\\#|bread}',
  ],
  ['@[Nobody](https://example.com)', '\\@\\[Nobody\\]\\(https://example.com\\)'],
])('%j is written as %j, and read as displayed', (text, written) => {
  expect(toLittleText(text)).toBe(written);
  expect(parseLittleText(written)).toBe(toVisibleText(text));
});

test('LinkedIn’s own output is read: a tag template, and a tag without a template', () => {
  expect(parseLittleText('Look {hashtag|#|Spring} \\#two @[Al \\(ice\\)](urn:li:person:a_b-C)')).toBe(
    'Look #Spring #two Al (ice)',
  );
});
