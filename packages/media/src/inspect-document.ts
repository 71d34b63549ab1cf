import type { InspectionResult, MediaBytes } from '@switchboard/domain/ports';
import { readAll } from './read-all.js';

/** Readers look for the end of a PDF in this many bytes. */
const TAIL_BYTES = 1024;
/** An index of 800,000 objects. A larger one is treated as an attempt to exhaust memory. */
const INDEX_MAX_BYTES = 16 * 1024 * 1024;

/**
 * A PDF ends with the position of its index, which ends with the document properties. This checks only that
 * they exist and whether the file is encrypted. The platform validates the pages.
 */
export async function inspectDocument(file: MediaBytes): Promise<InspectionResult> {
  const tail = toLatin1(
    await readAll(file.read({ start: Math.max(0, file.bytes - TAIL_BYTES), end: file.bytes - 1 })),
  );
  const [, offsetText] =
    /^startxref\s+(\d{1,12})\s+%%EOF/.exec(tail.slice(tail.lastIndexOf('startxref'))) ?? [];
  if (offsetText === undefined || Number(offsetText) >= file.bytes) return broken;

  const index = await readIndex(file, Number(offsetText));
  const trailer = index === null ? undefined : findTrailer(index);
  if (trailer === undefined || !/\/Root\s+\d+\s+\d+\s+R/.test(trailer)) return broken;
  if (/\/Encrypt\s*(?:<<|\d+\s+\d+\s+R)/.test(trailer)) return { kind: 'unusable', reason: 'encrypted' };
  const facts = { width: null, height: null, durationSeconds: null, animated: false };
  return { kind: 'inspected', facts };
}

const broken = { kind: 'unusable', reason: 'broken' } as const;

/**
 * A table with its trailer, or the object that combines both since PDF 1.5; up to the end of the table or the
 * start of the object's data.
 */
async function readIndex(file: MediaBytes, start: number): Promise<string | null> {
  const pieces: string[] = [];
  let before = '';
  for await (const piece of file.read({ start, end: Math.min(file.bytes, start + INDEX_MAX_BYTES) - 1 })) {
    const text = toLatin1(piece);
    pieces.push(text);
    const seen = before + text;
    if (indexEnd.test(seen)) return pieces.join('').split(indexEnd)[0] ?? null;
    before = seen.slice(-100);
  }
  return null;
}

const indexEnd = /startxref|>>\s*stream/;

const findTrailer = (index: string): string | undefined =>
  /^\s*xref\s[^]*\btrailer\s*(<<[^]*)$/.exec(index)?.[1] ??
  /^\s*\d+\s+\d+\s+obj\s*(<<[^]*\/Type\s*\/XRef\b[^]*)$/.exec(index)?.[1];

const toLatin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
