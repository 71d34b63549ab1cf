import { describe, expect, test } from '@jest/globals';
import type { PartDraft } from '@switchboard/domain/ports';
import { finalText, rules } from './rules.js';

const draft = (
  text: string,
  more: { link?: string; langs?: unknown; mediaCount?: number } = {},
): PartDraft => ({
  kind: 'post',
  title: null,
  text,
  link: more.link ?? null,
  options: 'langs' in more ? { langs: more.langs } : {},
  mediaCount: more.mediaCount ?? 0,
});

describe('a link', () => {
  const link = 'https://example.com/a';
  const beside = { link, mediaCount: 1 };
  test('is a card and not in the text, unless the author wrote it there', () => {
    expect(finalText(draft('Hello ', { link }))).toBe('Hello ');
    expect(finalText(draft(`Read ${link}.`, { link }))).toBe(`Read ${link}.`);
    expect(finalText(draft('', { link }))).toBe('');
  });
  test('with media is appended to a text that does not contain it', () => {
    expect(finalText(draft('Hello ', beside))).toBe(`Hello\n${link}`);
  });
  test('with media is not written twice', () => {
    expect(finalText(draft(`Read ${link}.`, beside))).toBe(`Read ${link}.`);
  });
  test('with media is appended to a text that contains only a longer one', () => {
    expect(finalText(draft(`${link}bc`, beside))).toBe(`${link}bc\n${link}`);
  });
  test('with media is the whole text of a post without text', () => {
    expect(finalText(draft(' ', beside))).toBe(link);
  });
});

test('a text without a link is never changed', () => {
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
  test('count with the link that is appended to the text, and not with the one of a card', () => {
    const link = 'https://example.com/a';
    expect(rules.check(draft(family.repeat(120), { link, mediaCount: 1 }))).toHaveLength(1);
    expect(rules.check(draft(family.repeat(120), { link }))).toEqual([]);
  });
});

describe('languages', () => {
  test.each([[['en']], [['pt-BR', 'zh-Hant', 'es']], [[]]])('%j are accepted', (langs) => {
    expect(rules.check(draft('x', { langs }))).toEqual([]);
  });
  test('are rejected one by one if they are not language tags', () => {
    expect(rules.check(draft('x', { langs: ['en', 'not a language', ''] })).map(({ path }) => path)).toEqual([
      'options.langs.1',
      'options.langs.2',
    ]);
  });
});
