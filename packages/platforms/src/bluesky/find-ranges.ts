import { graphemes } from '@switchboard/platform-kit/counting/graphemes';
import { indexOfLink } from '@switchboard/platform-kit/append-link';

/** An annotated range of a text, in UTF-16 positions. */
export type TextRange = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'link'; readonly uri: string }
  | { readonly kind: 'mention'; readonly handle: string }
  | { readonly kind: 'tag'; readonly tag: string }
);

const TAG_GRAPHEMES_MAX = 64;
const URL = /(?<=^|[\s(])https?:\/\/[^\s/]\S*/giu;
const HANDLE =
  /(?<=^|[\s(])@((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![a-z0-9-])/giu;
// Ends at white space and at invisible characters: soft hyphen, word joiner, hair space, zero-width
// characters, keycap.
const TAG = /(?<=^|\s)[#＃]([^\u20e2\s\u00ad\u2060\u200a-\u200d]+)/gu;
const SENTENCE_END = /[.,;:!?'"’”]$/u;
const CLOSING = { ')': '(', ']': '[' } as const;

/**
 * The links, mentions and tags of a text, in order and without overlap, detected as in Bluesky's own app.
 */
export function findRanges(text: string, link: string | null): readonly TextRange[] {
  const found = [...postLink(text, link), ...links(text), ...mentions(text), ...tags(text)];
  const stored: TextRange[] = [];
  for (const range of found) {
    if (stored.every((other) => range.end <= other.start || range.start >= other.end)) stored.push(range);
  }
  return stored.sort((one, other) => one.start - other.start);
}

/** The post's own link is always detected, also where the app would not detect it. */
function postLink(text: string, link: string | null): TextRange[] {
  const start = link === null ? -1 : indexOfLink(text, link);
  return link === null || start < 0 ? [] : [{ kind: 'link', uri: link, start, end: start + link.length }];
}

function* links(text: string): Generator<TextRange> {
  for (const match of text.matchAll(URL)) {
    const uri = trimSentenceEnd(match[0]);
    if (globalThis.URL.canParse(uri))
      yield { kind: 'link', uri, start: match.index, end: match.index + uri.length };
  }
}

/** Punctuation that ends a sentence, or closes a bracket opened before the link, is not part of the link. */
function trimSentenceEnd(uri: string): string {
  const last = uri.at(-1);
  const opening = last === ')' || last === ']' ? CLOSING[last] : null;
  const unbalanced =
    opening !== null && last !== undefined && uri.split(last).length > uri.split(opening).length;
  return unbalanced || SENTENCE_END.test(uri) ? trimSentenceEnd(uri.slice(0, -1)) : uri;
}

function* mentions(text: string): Generator<TextRange> {
  for (const match of text.matchAll(HANDLE)) {
    const handle = match[1] ?? '';
    yield {
      kind: 'mention',
      handle: handle.toLowerCase(),
      start: match.index,
      end: match.index + match[0].length,
    };
  }
}

function* tags(text: string): Generator<TextRange> {
  for (const match of text.matchAll(TAG)) {
    const tag = (match[1] ?? '').replace(/\p{P}+$/u, '');
    const isWord = /[^\d\p{P}]/u.test(tag) && !tag.startsWith('\ufe0f');
    if (!isWord || graphemes(tag) > TAG_GRAPHEMES_MAX) continue;
    yield { kind: 'tag', tag, start: match.index, end: match.index + 1 + tag.length };
  }
}
