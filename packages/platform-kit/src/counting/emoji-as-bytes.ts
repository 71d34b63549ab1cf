import { splitGraphemes } from 'unicode-segmenter/grapheme';
import { codePoints } from './code-points.js';
import { utf8Bytes } from './utf8-bytes.js';

/**
 * Presented as an emoji by default (as are the halves of flags), by a variation selector, or as a keycap.
 */
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}[\ufe0f\u20e3]/u;

/**
 * Unit: code points, but an emoji counts as its UTF-8 bytes, including all code points that it is joined
 * from: 25 for a family of four. Counts everything. Source: Threads, "limited to 500 characters. Emojis are
 * counted as the number of UTF-8 bytes" (developers.facebook.com/docs/threads/posts). The source does not
 * define a character otherwise; code points are the assumption.
 */
export function emojiAsBytes(text: string): number {
  let count = 0;
  for (const grapheme of splitGraphemes(text))
    count += EMOJI.test(grapheme) ? utf8Bytes(grapheme) : codePoints(grapheme);
  return count;
}
