// Control characters, direction marks, zero-width spaces, the byte order mark.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;
/** Created when it is used, which takes 12 ms: every program imports this module. */
let letters: Intl.Segmenter | undefined;

/** Converts untrusted text to one line without invisible characters and with at most `max` characters. */
export function sanitizeText(text: string, max: number): string {
  const line = text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  // No character is so long that this prefix lacks the kept ones.
  const candidate = line.slice(0, max * 20).toWellFormed();
  letters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const graphemes = [...letters.segment(candidate)];
  if (graphemes.length <= max) return candidate;
  const keptGraphemes = graphemes.slice(0, max - 1).map(({ segment }) => segment);
  return `${keptGraphemes.join('').trimEnd()}…`;
}
