import { expect, test } from '@jest/globals';
import { codePoints } from './code-points.js';
import { graphemes } from './graphemes.js';
import { utf16Units } from './utf16-units.js';
import { utf8Bytes } from './utf8-bytes.js';

const family = '👨‍👩‍👧‍👦';

test.each([
  ['', 0, 0, 0, 0],
  ['abc', 3, 3, 3, 3],
  ['é', 1, 1, 1, 2],
  ['e\u0301', 1, 2, 2, 3],
  ['漢字', 2, 2, 2, 6],
  ['🦋', 1, 1, 2, 4],
  [family, 1, 7, 11, 25],
  ['🇪🇸', 1, 2, 4, 8],
  ['a\r\nb', 3, 4, 4, 4],
])('counts %j in each unit', (text, asGraphemes, asCodePoints, asUtf16, asBytes) => {
  expect([graphemes(text), codePoints(text), utf16Units(text), utf8Bytes(text)]).toEqual([
    asGraphemes,
    asCodePoints,
    asUtf16,
    asBytes,
  ]);
});
