import { xLinks } from './x-links.js';

const LINK_WEIGHT = 23;
const EMOJI_WEIGHT = 2;
/**
 * The sequences that Unicode recommends for interchange, plus those that older systems write, with one
 * variation selector missing or too many. Created when it is used, which takes 26 ms: every program imports this
 * module, and few count.
 */
const emojis = () => /\p{Emoji_Modifier_Base}\ufe0f\p{Emoji_Modifier}|[0-9#*]\u20e3|\p{RGI_Emoji}/gv;
/** Basic Latin to Georgian, and the spaces, dashes, quotes and primes of General Punctuation. */
const LIGHT = [
  [0, 0x10ff],
  [0x2000, 0x200d],
  [0x2010, 0x201f],
  [0x2032, 0x2037],
] as const;

/** In chunks, because the time to reorder combining marks grows with the square of their number in a row. */
const PIECE = /\P{M}*\p{M}{0,64}/gu;

/**
 * Unit: X's weighted characters. Counts the text in NFC: a link 23, however long; an emoji 2, even when it is
 * joined from several; Latin, Greek, Cyrillic, Arabic, Hebrew and neighboring scripts 1 per code point;
 * everything else, including a lone surrogate, 2. Source: configuration 3 of `twitter-text` and its
 * conformance tests. The library itself is not used, see docs/decisions/019-counting-as-x-counts.md.
 */
export function weighted(text: string): number {
  const normalized = text.replace(PIECE, (piece) => piece.normalize('NFC'));
  let [weight, at] = [0, 0];
  for (const { start, end } of xLinks(normalized)) {
    weight += weightWithoutLinks(normalized.slice(at, start)) + LINK_WEIGHT;
    at = end;
  }
  return weight + weightWithoutLinks(normalized.slice(at));
}

function weightWithoutLinks(text: string): number {
  let [weight, at] = [0, 0];
  for (const { 0: emoji, index } of text.matchAll(emojis())) {
    weight += weightOfCharacters(text.slice(at, index)) + EMOJI_WEIGHT;
    at = index + emoji.length;
  }
  return weight + weightOfCharacters(text.slice(at));
}

function weightOfCharacters(text: string): number {
  let weight = 0;
  for (const character of text) weight += isLight(character.codePointAt(0) ?? 0) ? 1 : 2;
  return weight;
}

const isLight = (point: number): boolean => LIGHT.some(([from, to]) => point >= from && point <= to);
