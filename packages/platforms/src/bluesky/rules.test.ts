import { describe, expect, test } from '@jest/globals';
import type { Draft } from '@switchboard/domain';
import { finalText, rules } from './rules.js';

const draft = (text: string, more: { link?: string; langs?: unknown } = {}): Draft => ({
  kind: 'post',
  title: null,
  text,
  link: more.link ?? null,
  options: 'langs' in more ? { langs: more.langs } : {},
});

describe('a link', () => {
  const link = 'https://example.com/a';
  test('stands below a text that does not hold it', () => {
    expect(finalText(draft('Hello ', { link }))).toBe(`Hello\n${link}`);
  });
  test('is not written twice', () => {
    expect(finalText(draft(`Read ${link}.`, { link }))).toBe(`Read ${link}.`);
  });
  test('is added to a text that holds only a longer one', () => {
    expect(finalText(draft(`${link}bc`, { link }))).toBe(`${link}bc\n${link}`);
  });
  test('is the whole text of a post without words', () => {
    expect(finalText(draft(' ', { link }))).toBe(link);
  });
});

test('a text is never changed where it has no link', () => {
  expect(finalText(draft('  two lines \n '))).toBe('  two lines \n ');
});

describe('bytes', () => {
  const family = '👨‍👩‍👧‍👦'; // one grapheme of 25 bytes
  test('3,000 are accepted and one more is not, although graphemes are left', () => {
    expect(rules.check(draft(family.repeat(120)))).toEqual([]);
    expect(rules.check(draft(`${family.repeat(120)}a`))).toEqual([
      expect.objectContaining({ path: 'text', code: 'text.too_long' }),
    ]);
    expect(rules.count(`${family.repeat(120)}a`)).toBe(121);
  });
  test('count with the link that is appended', () => {
    const link = 'https://example.com/a';
    expect(rules.check(draft(family.repeat(120), { link }))).toHaveLength(1);
  });
});

describe('languages', () => {
  test.each([[['en']], [['pt-BR', 'zh-Hant', 'es']], [[]]])('%j are accepted', (langs) => {
    expect(rules.check(draft('x', { langs }))).toEqual([]);
  });
  test('are refused one by one where they are no language tags', () => {
    expect(rules.check(draft('x', { langs: ['en', 'not a language', ''] })).map(({ path }) => path)).toEqual([
      'options.langs.1',
      'options.langs.2',
    ]);
  });
});
