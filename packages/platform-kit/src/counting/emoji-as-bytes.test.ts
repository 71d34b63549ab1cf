import { expect, test } from '@jest/globals';
import { emojiAsBytes } from './emoji-as-bytes.js';

test.each([
  ['letters as characters', 'Grüße', 5],
  ['ideographs as characters', '漢字', 2],
  ['an emoji as its bytes', 'a😀', 5],
  ['a family as all of its bytes', '👨‍👩‍👧‍👦', 25],
  ['a flag as the bytes of both halves', '🇪🇸', 8],
  ['an emoji by variation selector as its bytes', '❤️', 6],
  ['a character that is text without a selector as one character', '❤', 1],
  ['a joined sequence without a selector as its bytes', '🏳‍🌈', 11],
  ['a keycap as its bytes', '1️⃣', 7],
  ['digits as characters', '123#*', 5],
  ['half of a surrogate pair as a character', '\ud83d', 1],
])('counts %s', (_rule, text, count) => expect(emojiAsBytes(text)).toBe(count));
