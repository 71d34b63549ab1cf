import { asciiLength, topLevelEndAt, xHostAt, type XHost } from './x-host.js';

const LINK_UNITS_MAX = 4096;
const SLUG_UNITS_MAX = 40;

// The position of the digit class matters: a mark after a letter would form one character with it.
const WORD = String.raw`a-z\xc0-\xd6\xd8-\xf6\xf8-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0268\u026f\u0272\u0289\u028b\u02bb\u1e00-\u1eff\d\u0300-\u036f`;
const IN_PATH = String.raw`[!*';:=+,.$\/%#\[\]\-\u2013_~@|&\u0400-\u04ff${WORD}]`;
const IN_QUERY = String.raw`\?[a-z0-9!?*'@();:&=+$\/%#\[\]\-_.,~|]*[a-z0-9\-_&=#\/]`;

const NOT_BEFORE_BARE_LINK = /[-_./]/;
const ASCII_LABELS = new RegExp(String.raw`[-.${WORD}]+`, 'gi');
const PORT = /:[0-9]+/y;
const PATH_CHARACTERS = new RegExp(`${IN_PATH}+`, 'iy');
const PATH_BRACKETS = new RegExp(String.raw`\((?:${IN_PATH}+|${IN_PATH}*\(${IN_PATH}+\)${IN_PATH}*)\)`, 'iy');
const PATH_END = new RegExp(String.raw`[+\-=_#\/\u0400-\u04ff${WORD}]`, 'i');
const QUERY = new RegExp(IN_QUERY, 'iy');
const SHORTENED = new RegExp(String.raw`^https?:\/\/t\.co\/([a-z0-9]+)(?:${IN_QUERY})?`, 'i');

/** A range of a text, in UTF-16 positions. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The links of a text as X finds them, in order: with a protocol, and without one if the host is ASCII or
 * ends in a top-level domain. The list of those is IANA's; X's own is older. Runs in linear time.
 */
export function* xLinks(text: string): Generator<Range> {
  // The character before a link cannot belong to another link.
  let [at, earliest] = [0, 0];
  while (at < text.length) {
    const found = xHostAt(text, at, earliest);
    if (found.host === null) {
      at = found.next;
      continue;
    }
    const portEnd = endOf(PORT, text, found.host.end) ?? found.host.end;
    const pathEnd = endOfPath(text, portEnd);
    const end = endOf(QUERY, text, pathEnd) ?? pathEnd;
    if (isLink(text, found.host, end))
      yield* found.host.protocol === ''
        ? bareLinks(text, found.host, pathEnd > portEnd ? end : null)
        : linkWithProtocol(text, found.host, end);
    [at, earliest] = [end, end + 1];
  }
}

function isLink(text: string, { start, end: hostEnd, protocol, underscored }: XHost, end: number): boolean {
  if (underscored || end - start > LINK_UNITS_MAX) return false;
  const ascii = asciiLength(text.slice(start, hostEnd));
  // X counts a protocol that precedes the host twice.
  const protocolUnits = protocol === '' ? 'https://'.length : 2 * protocol.length;
  return ascii !== null && protocolUnits + ascii + (end - hostEnd) <= LINK_UNITS_MAX;
}

function* linkWithProtocol(text: string, { start, protocol }: XHost, end: number): Generator<Range> {
  const from = start - protocol.length;
  const [shortened, slug = ''] = SHORTENED.exec(text.slice(from, end)) ?? [];
  if (slug.length <= SLUG_UNITS_MAX)
    yield { start: from, end: shortened === undefined ? end : from + shortened.length };
}

/**
 * Without a protocol only the ASCII part of a host makes a link, and there may be several; the path belongs
 * to the last.
 */
function* bareLinks(text: string, { start, end }: XHost, pathEnd: number | null): Generator<Range> {
  if (start > 0 && NOT_BEFORE_BARE_LINK.test(text.charAt(start - 1))) return;
  const host = text.slice(start, end);
  for (const { 0: labels, index } of host.matchAll(ASCII_LABELS)) {
    const from = index + (labels.startsWith('.') ? 1 : 0);
    const to = endOfLastTopLevel(host, from, index + labels.length);
    if (to !== null)
      yield { start: start + from, end: to === host.length && pathEnd !== null ? pathEnd : start + to };
  }
}

function endOfLastTopLevel(host: string, from: number, to: number): number | null {
  for (let dot = host.lastIndexOf('.', to - 1); dot > from; dot = host.lastIndexOf('.', dot - 1)) {
    const end = topLevelEndAt(host, dot + 1);
    if (end !== null) return end;
  }
  return null;
}

/**
 * A path consists of path characters and balanced brackets, nested at most one level, and ends with a
 * character that may end it.
 */
function endOfPath(text: string, at: number): number {
  if (text[at] !== '/') return at;
  let end = at + 1;
  for (let to: number | null = end; to !== null; to = endOf(PATH_BRACKETS, text, to)) {
    if (to > end) end = to;
    const plain = endOf(PATH_CHARACTERS, text, to) ?? to;
    let last = plain;
    while (last > to && !PATH_END.test(text.charAt(last - 1))) last--;
    if (last > to) end = last;
    to = plain;
  }
  return end;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
