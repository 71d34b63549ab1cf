import { describe, expect, test } from '@jest/globals';
import { countedText, mastodonCharacters } from './mastodon-characters.js';

const length = (text: string) => mastodonCharacters(text, 23);
const a = (times: number) => 'a'.repeat(times);
const b = (times: number) => 'b'.repeat(times);

// The examples of Mastodon's own tests of its counter (spec/validators/status_length_validator_spec.rb), at
// 500 characters.
describe('by the server’s own examples', () => {
  test.each([
    ['a link counts 23, however long it is', `${a(476)} http://${b(30)}.com/example`, 500],
    [
      'a URL preceded by a letter is not a link and counts in full',
      `${a(476)}http://${b(30)}.com/example`,
      525,
    ],
    [
      'a link of more than 4,096 characters counts in full',
      `http://example.com/valid?${'#foo?'.repeat(1000)}`,
      5025,
    ],
    ['a mention counts only the name before its server', `${a(475)} @alice@${b(30)}.com`, 482],
    ['a server name of more than 253 characters counts in full', `@alice@${b(500)}.com`, 511],
    ['an emoji of several bytes counts one', '✨'.repeat(500), 500],
    ['an emoji of several characters counts one', '🏳️‍⚧️'.repeat(500), 500],
  ])('%s', (_rule, text, counted) => expect(length(text)).toBe(counted));
});

test('the content warning counts with the text, and its links count in full', () => {
  expect(mastodonCharacters('https://example.com/a', 23, 'https://a.example')).toBe(23 + 17);
});

describe('a link', () => {
  const counted = (text: string) => countedText(text, 3);
  test.each([
    [
      'excludes the punctuation that closes a sentence',
      'See https://example.com/a, or https://example.com/b.',
      'See xxx, or xxx.',
    ],
    ['keeps its brackets when they are balanced', '(https://en.example.org/wiki/A_(b)) c', '(xxx) c'],
    ['has a query and a fragment', 'https://example.com/a?b=c&d=e#f g', 'xxx g'],
    ['has a port and no path', 'https://example.com:8443 x', 'xxx x'],
    ['may be in another script', 'https://例え.テスト/パス です', 'xxx です'],
    ['needs a scheme', 'example.com/a', 'example.com/a'],
    ['needs a domain with a dot', 'http://localhost/abcdef', 'http://localhost/abcdef'],
    ['is one without preceding white space', '漢字https://example.com/a', '漢字xxx'],
    ['with a name in its path is not a mention', 'https://example.com/@alice@example.org', 'xxx'],
  ])('%s', (_rule, text, expected) => expect(counted(text)).toBe(expected));

  test('counts as many characters as the server states', () => {
    expect(mastodonCharacters('https://example.com/a', 30)).toBe(30);
  });
});

describe('a mention', () => {
  test.each([
    ['of the own server is kept', '@alice hi', '@alice hi'],
    ['may be at the end of a sentence', 'Ask @a.b-c@example.org.', 'Ask @a.b-c.'],
    ['is not one within a word', 'me@example.org', 'me@example.org'],
    ['is not one after a slash', '/@alice@example.org', '/@alice@example.org'],
    ['is not one before an accented letter', '@no\u00ebl@example.org', '@no\u00ebl@example.org'],
    ['counts each time', '@a@b.example @c@d.example', '@a @c'],
  ])('%s', (_rule, text, expected) => expect(countedText(text, 23)).toBe(expected));
});
