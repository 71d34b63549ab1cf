import { countGraphemes } from 'unicode-segmenter/grapheme';

/**
 * Unit: user-perceived characters (extended grapheme clusters, UAX #29); a family emoji is one. Counts
 * everything. Source: `maxGraphemes` of the AT Protocol's lexicons, `mb_chars.grapheme_length` in Mastodon's
 * `StatusLengthValidator`. Not `Intl.Segmenter`: in V8 its time grows with the square of the text length;
 * 100,000 ideographs take seconds.
 */
export const graphemes = (text: string): number => countGraphemes(text);
