import { expect, test } from '@jest/globals';
import { buildItem } from '@switchboard/platform-kit/testing/calls';
import { rules } from './rules.js';

const codesOf = (...draft: Parameters<typeof buildItem>) =>
  rules.check(buildItem(...draft)).map(({ path, code }) => `${path} ${code}`);
const tagged = (...tags: string[]) => codesOf('', { title: 'Pots', options: { tags } });

test('tags are counted with their commas, and with quotation marks if they contain a space', () => {
  // "Foo-Baz" is seven, "Foo Baz" nine: developers.google.com/youtube/v3/docs/videos#snippet.tags[]
  expect(tagged('a'.repeat(484), 'Foo-Baz', 'Foo-Baz')).toEqual([]);
  expect(tagged('a'.repeat(484), 'Foo-Baz', 'Foo Baz')).toEqual(['options.tags option.invalid']);
  expect(tagged('a'.repeat(482), 'Foo-Baz', 'Foo Baz')).toEqual([]);
});

test('angle brackets are rejected in titles and descriptions, and not in comments', () => {
  expect(codesOf('2 < 3', { title: 'Pots' })).toEqual(['text text.character_unsupported']);
  expect(codesOf('', { title: '<Pots>' })).toEqual(['title option.invalid']);
  expect(codesOf('2 < 3', { kind: 'comment' })).toEqual([]);
});

test('a comment is rejected if YouTube has none', () => {
  const below = (options: object) => codesOf('First', { kind: 'comment', options: { ...options } });
  expect(below({ visibility: 'unlisted', made_for_kids: false })).toEqual([]);
  expect(below({ visibility: 'private' })).toEqual(['text comment.unsupported']);
  expect(below({ made_for_kids: true })).toEqual(['text comment.unsupported']);
});

test('a description is counted in bytes, with its link appended', () => {
  const text = rules.finalText(buildItem('Tóna', { link: 'https://kiln.example/' }));
  expect([text, rules.count(text)]).toEqual(['Tóna\nhttps://kiln.example/', 27]);
});
