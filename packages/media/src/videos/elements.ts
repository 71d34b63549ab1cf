import type { WindowedFile } from './windowed-file.js';

/** An EBML element (RFC 8794): positions refer to the file. */
export interface Element {
  readonly id: number;
  readonly start: number;
  readonly content: number;
  /** Null where the size is unknown: it extends to the next element that cannot be its child. */
  readonly end: number | null;
}

const HEADER_MAX = 12;
/** The maximum size of an integer or a float. */
const VALUE_MAX = 8;

/** Null at the end of the file, or for an invalid element. */
export async function elementAt(file: WindowedFile, at: number): Promise<Element | null> {
  const bytes = await file.at(at, HEADER_MAX);
  const idBytes = lengthOf(bytes, 0);
  if (idBytes === null || idBytes > 4 || bytes.length < idBytes) return null;
  const sizeBytes = lengthOf(bytes, idBytes);
  if (sizeBytes === null || bytes.length < idBytes + sizeBytes) return null;
  const content = at + idBytes + sizeBytes;
  const size = sizeOf(bytes, idBytes, sizeBytes);
  return { id: bytes.readUIntBE(0, idBytes), start: at, content, end: size === null ? null : content + size };
}

/** The elements inside `parent`, up to its end, the end of the file, or an invalid element. */
export async function* elementsIn(
  file: WindowedFile,
  parent: Pick<Element, 'content' | 'end'>,
): AsyncGenerator<Element> {
  const end = Math.min(parent.end ?? file.bytes, file.bytes);
  for (let at = parent.content; at < end;) {
    const element = await elementAt(file, at);
    if (!element) return;
    yield element;
    if (element.end === null) return;
    at = element.end;
  }
}

/** An unsigned integer. */
export async function numberOf(file: WindowedFile, element: Element): Promise<number> {
  const bytes = await valueOf(file, element);
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}

export async function floatOf(file: WindowedFile, element: Element): Promise<number> {
  const bytes = await valueOf(file, element);
  if (bytes.length === 4) return bytes.readFloatBE(0);
  return bytes.length === 8 ? bytes.readDoubleBE(0) : 0;
}

function valueOf(file: WindowedFile, { content, end }: Element): Promise<Buffer> {
  return file.at(content, Math.min((end ?? content) - content, VALUE_MAX));
}

/** The length of a variable-size integer: the position of its first set bit. */
function lengthOf(bytes: Buffer, at: number): number | null {
  const first = bytes[at];
  return first === undefined || first === 0 ? null : Math.clz32(first) - 23;
}

/** All bits set: unknown. */
function sizeOf(bytes: Buffer, at: number, length: number): number | null {
  let value = (bytes[at] ?? 0) & (0xff >> length);
  let isUnknown = value === 0xff >> length;
  for (let index = 1; index < length; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return isUnknown ? null : value;
}

/** The variable-size integer at `at` without its marker bit, as a block encodes its track number. */
export function trackNumber(bytes: Buffer): { readonly value: number; readonly length: number } | null {
  const length = lengthOf(bytes, 0);
  if (length === null || bytes.length < length) return null;
  const value = sizeOf(bytes, 0, length);
  return value === null ? null : { value, length };
}
