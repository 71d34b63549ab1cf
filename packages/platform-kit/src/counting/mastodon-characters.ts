import { graphemes } from './graphemes.js';

/** The longest URL and the longest server name that Mastodon recognizes. */
const URL_MAX = 4096;
const DOMAIN_MAX = 253;

const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]{0,61}[\p{L}\p{M}\p{N}])?`;
const TOP_LEVEL = String.raw`(?:xn--[a-z0-9-]{2,59}|\p{L}[\p{L}\p{M}]{1,62})(?![\p{L}\p{N}@+-])`;
const PATH_CHARACTER = String.raw`[^\s<>()?]`;
const IN_BRACKETS = String.raw`\((?:${PATH_CHARACTER}|\(${PATH_CHARACTER}*\))*\)`;
const PATH_END = String.raw`[^\s()?!*"'「」<>;:=,.$%\[\]~&|@]`;
const PATH = String.raw`\/(?:(?:${PATH_CHARACTER}|${IN_BRACKETS})*(?:${PATH_END}|${IN_BRACKETS}))?`;
const QUERY = String.raw`\?[a-z0-9!?*'();:&=+$/%#\[\]\-_.,~|@^\u{a1}-\u{10ffff}]*[a-z0-9_&=#/\-\u{a1}-\u{10ffff}]`;

const LINK = new RegExp(
  String.raw`(?<![a-z0-9@＠$#＃])https?:\/\/(?:${LABEL}\.)+${TOP_LEVEL}(?::[0-9]+)?(?:${PATH})?(?:${QUERY})?`,
  'giu',
);

const WORD = String.raw`[\p{L}\p{M}\p{N}\p{Pc}]`;
const MENTION = new RegExp(
  String.raw`(?<![=/]|${WORD})@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)(?:@(${WORD}+(?:[.-]+${WORD}+)*))?`,
  'giu',
);
/**
 * A directly following character that prevents a mention: another at sign, an accented Latin letter, or the
 * rest of an address.
 */
const NO_MENTION = /^(?:[@＠]|[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]|\p{Mn}|:\/\/)/u;

interface Entity {
  readonly start: number;
  readonly end: number;
  readonly counts: string;
}

/**
 * Unit: graphemes. Counts the content warning and the text together: a link with a protocol counts what the
 * server states, 23 by default, however long; a mention of an account on another server counts only the name;
 * everything else counts in full. Source: `app/validators/status_length_validator.rb` of Mastodon, whose
 * examples are our tests.
 */
export const mastodonCharacters = (text: string, perLink: number, warning = ''): number =>
  graphemes(warning + countedText(text, perLink));

/**
 * The text in which every character counts: each link replaced by a fixed number of characters, mentions
 * without their server.
 */
export function countedText(text: string, perLink: number): string {
  const entities = [...links(text, perLink), ...mentions(text)].sort((one, other) => one.start - other.start);
  let [counted, at] = ['', 0];
  for (const { start, end, counts } of entities) {
    if (start < at) continue;
    counted += text.slice(at, start) + counts;
    at = end;
  }
  return counted + text.slice(at);
}

function* links(text: string, perLink: number): Generator<Entity> {
  for (const { 0: url, index } of text.matchAll(LINK)) {
    if (url.length <= URL_MAX) yield { start: index, end: index + url.length, counts: 'x'.repeat(perLink) };
  }
}

function* mentions(text: string): Generator<Entity> {
  for (const { 0: whole, 1: name = '', 2: domain = '', index } of text.matchAll(MENTION)) {
    const end = index + whole.length;
    if (domain.length <= DOMAIN_MAX && !NO_MENTION.test(text.slice(end, end + 3)))
      yield { start: index, end, counts: `@${name}` };
  }
}
