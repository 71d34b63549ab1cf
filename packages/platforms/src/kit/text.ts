const encoder = new TextEncoder();
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** User-perceived characters (UAX #29): a family emoji is one. */
export function graphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count++;
  return count;
}

/** Unicode code points: a family emoji of four people is seven. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** What `length` says in JavaScript, Java and C#. */
export const utf16Units = (text: string): number => text.length;

export const utf8Bytes = (text: string): number => encoder.encode(text).length;
