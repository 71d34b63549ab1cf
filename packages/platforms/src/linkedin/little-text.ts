/**
 * LinkedIn's `little` text: reserved characters are escaped with a backslash, or the post silently ends at
 * the first of them. Hashtags are templates.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */
const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
const escapeReserved = (text: string): string => text.replace(RESERVED, (one) => `\\${one}`);

/** The syntax of a mention in a text: the exact name that LinkedIn displays, and the URN. */
const MENTION = /@\[([^\]\n]+)\]\((urn:li:(?:person|organization):[\w-]+)\)/gu;
/** A tag contains a letter, does not follow a word character and is not part of a URL. */
const TAG = /(?<![\p{L}\p{N}_&/#])#([\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*)/gu;
const SPECIAL = new RegExp(`${MENTION.source}|https?://\\S+|${TAG.source}`, 'giu');

export function toLittleText(text: string): string {
  let [written, end] = ['', 0];
  for (const match of text.matchAll(SPECIAL)) {
    const [whole, name, urn, tag] = match;
    written += escapeReserved(text.slice(end, match.index));
    if (name !== undefined) written += `@[${escapeReserved(name)}](${urn})`;
    else if (tag !== undefined) written += `{hashtag|\\#|${escapeReserved(tag)}}`;
    else written += escapeReserved(whole);
    end = match.index + whole.length;
  }
  return written + escapeReserved(text.slice(end));
}

/** A text as LinkedIn displays it: a mention is reduced to its name. */
export const toVisibleText = (text: string): string => text.replace(MENTION, '$1');

/** The displayed text of a post that LinkedIn returns in its own format. */
export const parseLittleText = (little: string): string =>
  little
    .replace(/\{hashtag\|\\?#\|((?:\\.|[^}\\])+)\}/gsu, '\\#$1')
    .replace(/@\[((?:\\.|[^\]\\])+)\]\(urn:li:[^)]*\)/gsu, '$1')
    .replace(/\\([\\|{}@[\]()<>#*_~])/gsu, '$1');
