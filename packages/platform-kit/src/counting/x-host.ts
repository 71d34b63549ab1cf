import topLevelDomains from 'tlds' with { type: 'json' };
import { punycodeLength } from './punycode-length.js';

const LABEL_UNITS_MAX = 63;

const TOP_LEVEL: ReadonlySet<string> = new Set(topLevelDomains);
const TOP_LEVEL_UNITS_MAX = Math.max(...topLevelDomains.map(({ length }) => length));

const INVALID = String.raw`\ufffe\ufeff\uffff`;
const DIRECTIONS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const PUNCTUATION = String.raw`!'#%&()*+,\-.\/:;<=>?@\[\\\]^_{|}~$`;
const NAME = String.raw`[^${PUNCTUATION}\s\x85\u180e${DIRECTIONS}${INVALID}]`;

// X defines its rules on UTF-16 units, so these functions do not handle code points.
const NAME_CHARACTER = new RegExp(NAME);
const LABEL = new RegExp(`(?:${NAME}|[-_])*`, 'y');
const NOT_BEFORE_LINK = new RegExp(`[a-z0-9@＠$#＃${INVALID}]`, 'i');
const PROTOCOL = /https?:\/\/$/i;
const LETTERS_AND_DIGITS = /[a-z0-9]+/iy;
const PUNYCODE = /xn--[-0-9a-z]+/iy;

/** A host name in a text, in UTF-16 positions. */
export interface XHost {
  readonly start: number;
  readonly end: number;
  /** `https://`, or empty if the host has no protocol. */
  readonly protocol: string;
  /**
   * True for a name with an underscore in a forbidden position: not a link, but it consumes what follows.
   */
  readonly underscored: boolean;
}

/**
 * The host that contains the label at `at`, starting no earlier than `earliest`. Otherwise the label at which
 * to resume: no host begins before it.
 */
export function xHostAt(
  text: string,
  at: number,
  earliest: number,
): { readonly host: XHost } | { readonly host: null; readonly next: number } {
  let end = endOfLabel(text, at);
  const start = startWithin(text, at, end, earliest);
  if (text[end] !== '.' || start === null || !NAME_CHARACTER.test(text.charAt(end - 1)))
    return { host: null, next: end + 1 };

  let label = start;
  let [hostEnd, underscoredEnd]: (number | null)[] = [null, null];
  do {
    const underscored = text.slice(label, end).includes('_');
    label = end + 1;
    const topLevelEnd = topLevelEndAt(text, label);
    if (underscored) underscoredEnd = topLevelEnd ?? underscoredEnd;
    else hostEnd = topLevelEnd ?? hostEnd;
    end = endOfLabel(text, label);
  } while (
    text[end] === '.' &&
    end > label &&
    NAME_CHARACTER.test(text.charAt(label)) &&
    NAME_CHARACTER.test(text.charAt(end - 1))
  );

  const found = hostEnd ?? underscoredEnd ?? null;
  if (found === null) return { host: null, next: label };
  const protocol = protocolBefore(text, start, earliest);
  return { host: { start, end: found, protocol, underscored: hostEnd === null } };
}

/** The end of a top-level domain at a position; null if there is none. */
export function topLevelEndAt(text: string, at: number): number | null {
  PUNYCODE.lastIndex = at;
  if (PUNYCODE.test(text)) return PUNYCODE.lastIndex;
  LETTERS_AND_DIGITS.lastIndex = at;
  if (LETTERS_AND_DIGITS.test(text)) {
    const end = LETTERS_AND_DIGITS.lastIndex;
    return end - at <= TOP_LEVEL_UNITS_MAX && isTopLevel(text, at, end) ? end : null;
  }
  for (let end = Math.min(at + TOP_LEVEL_UNITS_MAX, text.length); end > at; end--)
    if (isTopLevel(text, at, end) && !/[a-z0-9]/i.test(text.charAt(end))) return end;
  return null;
}

/**
 * The length of a host name in its ASCII form; null if a label is too long for that, or if the name is an
 * invalid `xn--` label.
 */
export function asciiLength(host: string): number | null {
  if (/^xn--[^.]*[^\0-\x7f]/i.test(host)) return null;
  const lengths = host.split('.').map(asciiLengthOfLabel);
  return lengths.every((length) => length <= LABEL_UNITS_MAX)
    ? lengths.reduce((sum, length) => sum + length, lengths.length - 1)
    : null;
}

function asciiLengthOfLabel(label: string): number {
  // A code point has at most two units and takes at least one character.
  if (/^[\0-\x7f]*$/.test(label) || label.length > 2 * LABEL_UNITS_MAX) return label.length;
  return 'xn--'.length + punycodeLength(label);
}

const isTopLevel = (text: string, at: number, end: number): boolean =>
  TOP_LEVEL.has(text.slice(at, end).toLowerCase()) && !/[@+]/.test(text.charAt(end));

function endOfLabel(text: string, at: number): number {
  LABEL.lastIndex = at;
  LABEL.test(text);
  return LABEL.lastIndex;
}

function startWithin(text: string, at: number, end: number, earliest: number): number | null {
  // At the very beginning of the text, X's expression consumes the first character as the one that precedes a
  // link.
  if (at === 0 && end > 1 && NAME_CHARACTER.test(text.charAt(1)) && mayBegin(text, 1, 0)) return 1;
  for (let start = Math.max(at, earliest); start < end; start++)
    if (NAME_CHARACTER.test(text.charAt(start)) && mayBegin(text, start, earliest)) return start;
  return null;
}

const mayBegin = (text: string, at: number, earliest: number): boolean =>
  at === 0 || !NOT_BEFORE_LINK.test(text.charAt(at - 1)) || protocolBefore(text, at, earliest) !== '';

function protocolBefore(text: string, at: number, earliest: number): string {
  const protocol = PROTOCOL.exec(text.slice(Math.max(0, at - 'https://'.length), at))?.[0] ?? '';
  const start = at - protocol.length;
  return start >= earliest && (start === 0 || !NOT_BEFORE_LINK.test(text.charAt(start - 1))) ? protocol : '';
}
