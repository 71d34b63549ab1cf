import { expect, test } from '@jest/globals';
import { hashtags } from './hashtags.js';

test.each([
  ['each one', '#one #two\n#three', 3],
  ['the same one each time it occurs', '#one #one', 2],
  ['one in another script', '#日本 #été #привет', 3],
  ['one with digits and an underscore', '#a1_b #1st', 2],
  ['one of emoji', '#😀', 1],
  ['one in brackets and at the end of a sentence', '(#one), #two.', 2],
  ['one with the full-width sign', '＃日本', 1],
  ['no digits alone', '#1 #2024', 0],
  ['no sign alone', '# # #', 0],
  ['no sign within a word', 'a#b C#', 0],
  ['no fragment of a URL', 'https://example.com/#a https://example.com/a#b', 0],
  ['no numeric character reference', '&#x27;', 0],
])('counts %s', (_rule, text, count) => expect(hashtags(text)).toBe(count));
