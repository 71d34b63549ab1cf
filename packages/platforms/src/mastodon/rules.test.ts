import { describe, expect, test } from '@jest/globals';
import type { PartDraft } from '@switchboard/domain/ports';
import { rules } from './rules.js';

const draft = (text: string, options: PartDraft['options'] = {}, link: string | null = null): PartDraft => ({
  kind: 'post',
  title: null,
  text,
  link,
  options,
  mediaCount: 0,
});
const response = (text: string, options: PartDraft['options']): PartDraft => ({
  ...draft(text, options),
  kind: 'thread',
});

test('a link is appended to the text once', () => {
  const link = 'https://example.com/a';
  expect(rules.finalText(draft('Read', {}, link))).toBe(`Read\n${link}`);
  expect(rules.finalText(draft(`Read ${link}`, {}, link))).toBe(`Read ${link}`);
  expect(rules.finalText(draft('', {}, link))).toBe(link);
});

describe('a content warning', () => {
  test('counts together with the text', () => {
    const warned = (length: number) =>
      rules.check(draft('b'.repeat(length), { spoiler_text: 'a'.repeat(250) }));
    expect(warned(250)).toEqual([]);
    expect(warned(251)).toEqual([
      expect.objectContaining({ path: 'options.spoiler_text', code: 'text.too_long' }),
    ]);
  });

  test('counts with every part of a thread, where the error names the text', () => {
    const warning = { spoiler_text: 'a'.repeat(250) };
    expect(rules.check(response('b'.repeat(250), warning))).toEqual([]);
    expect(rules.check(response('b'.repeat(251), warning))).toEqual([
      expect.objectContaining({ path: 'text', code: 'text.too_long' }),
    ]);
  });

  test('is not named in the error if the text alone is too long', () => {
    expect(rules.check(draft('b'.repeat(501), { spoiler_text: 'a' }))).toEqual([]);
  });

  test('may be as long as the account’s own server allows', () => {
    const long = draft('b'.repeat(4_000), { spoiler_text: 'a'.repeat(1_000) });
    expect(rules.check(long, { max: 5_000, perLink: 23 })).toEqual([]);
    expect(rules.check(long, { max: 4_999, perLink: 23 })).toHaveLength(1);
  });
});

describe('a language', () => {
  test.each(['en', 'pt', 'zh-TW', 'szl'])('%s is accepted', (language) => {
    expect(rules.check(draft('x', { language }))).toEqual([]);
  });
  test.each(['', 'English', 'e', 'en_GB'])('%j is rejected', (language) => {
    expect(rules.check(draft('x', { language }))).toEqual([
      expect.objectContaining({ path: 'options.language', code: 'option.invalid' }),
    ]);
  });
});
