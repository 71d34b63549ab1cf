import { afterAll, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import type { MediaProperties, MediaBytes } from '@switchboard/domain/ports';
import { inspectDocument } from './inspect-document.js';
import { mediaTools } from './media-tools.js';
import { documents, encryptedDocuments } from './testing/documents.js';
import { bombPng, animatedImage, noiseImage, solidImage, withAnimation } from './testing/images.js';
import { video } from './testing/videos.js';

const tools = mediaTools();
afterAll(() => tools.close());
const turn = { workspaceId: 'wsp_a' as WorkspaceId };
/** The properties of a file; null or the reason when it is unusable. */
async function inspect(type: string, file: MediaBytes): Promise<MediaProperties | string | null> {
  const inspection = await tools.inspect(type, file, turn);
  if (inspection.kind === 'inspected') return inspection.facts;
  if (inspection.kind !== 'unusable') return inspection.kind;
  return inspection.reason === 'broken' ? null : inspection.reason;
}
const HEAD = 4096;

const fileOf = (bytes: Buffer, pieceBytes = Infinity): MediaBytes => ({
  bytes: bytes.length,
  async *read({ start, end }) {
    for (let at = start; at <= end; at += pieceBytes)
      yield bytes.subarray(at, Math.min(at + pieceBytes, end + 1));
  },
});
/** Inspects a file: its type from its head, the rest from the whole file. */
async function look(bytes: Buffer) {
  const type = await tools.detectType(bytes.subarray(0, HEAD));
  return type === null ? null : { type, facts: await inspect(type, fileOf(bytes)) };
}

test.each(['jpeg', 'png', 'gif', 'webp', 'avif'] as const)('%s is a still image', async (format) => {
  const bytes = await solidImage(120, 80).toFormat(format).toBuffer();
  expect(await look(bytes)).toEqual({
    type: `image/${format}`,
    facts: { width: 120, height: 80, durationSeconds: null, animated: false },
  });
});

test('an animated image is reported as such, with the size of one frame', async () => {
  for (const format of ['gif', 'webp'] as const) {
    expect(await look(await animatedImage(format))).toMatchObject({
      type: `image/${format}`,
      facts: { width: 64, height: 48, animated: true },
    });
  }
  const png = withAnimation(await solidImage(10, 10).png().toBuffer());
  expect(await look(png)).toMatchObject({ type: 'image/png', facts: { animated: true } });
});

test('a portrait photo has its displayed height', async () => {
  const bytes = await solidImage(120, 80).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await look(bytes)).toMatchObject({ facts: { width: 80, height: 120 } });
});

test.each([
  ['mp4', 'video/mp4'],
  ['fastStart', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
] as const)('%s has its size and duration', async (container, type) => {
  const found = await look(await video(container, 3));
  expect(found).toMatchObject({ type, facts: { width: 640, height: 360, animated: false } });
  // WebM does not state how long the last frame lasts.
  const seconds = (typeof found?.facts === 'object' && found.facts?.durationSeconds) || 0;
  expect(Math.abs(seconds - 3)).toBeLessThan(0.11);
});

test.each([
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'],
  ['SVG in XML', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['nothing', ''],
  ['text', 'Hello'],
  ['ZIP', 'PK\u0003\u0004\u0014\u0000'],
  ['PostScript', '%!PS-Adobe-3.0'],
])('%s is not an accepted type', async (_name, text) => {
  expect(await look(Buffer.from(text, 'latin1'))).toBeNull();
});

test('TIFF, which libvips reads, is not accepted', async () => {
  expect(await look(await solidImage(9, 9).tiff().toBuffer())).toBeNull();
});

test.each(['jpeg', 'png', 'gif', 'webp'] as const)('truncated, %s is unreadable', async (format) => {
  const bytes = await noiseImage(300, 300).toFormat(format).toBuffer();
  for (const share of [0.01, 0.5, 0.95]) {
    const found = await look(bytes.subarray(0, Math.max(100, Math.floor(bytes.length * share))));
    expect([share, found]).toEqual([share, { type: `image/${format}`, facts: null }]);
  }
});

test.each(['mp4', 'fastStart', 'webm', 'mov'] as const)('truncated, %s is unreadable', async (container) => {
  const bytes = await video(container);
  const found = await look(bytes.subarray(0, Math.floor(bytes.length * 0.3)));
  expect(found?.facts).toBeNull();
});

test('a file that starts as an image and continues as something else is unreadable', async () => {
  const head = (await solidImage(9, 9).png().toBuffer()).subarray(0, 40);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>');
  expect(await look(Buffer.concat([head, svg]))).toEqual({ type: 'image/png', facts: null });
  const gif = await solidImage(9, 9).gif().toBuffer();
  expect(await inspect('image/png', fileOf(gif))).toBeNull();
  expect(await inspect('image/png', fileOf(svg))).toBeNull();
});

test('a small file that decodes to more pixels than allowed is rejected at once', async () => {
  const bomb = bombPng(60_000, 60_000);
  expect(bomb.length).toBeLessThan(100_000);
  const before = process.memoryUsage().rss;
  expect(await look(bomb)).toEqual({ type: 'image/png', facts: null });
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

test('a video whose index claims to exhaust the memory is rejected without reading it', async () => {
  let read = 0;
  const moov = Buffer.alloc(16);
  moov.writeUInt32BE(1000 * 1024 * 1024, 0);
  moov.write('moov', 4, 'latin1');
  const head = Buffer.concat([
    Buffer.from('0000001c66747970697' + '36f6d0000020069736f6d69736f32617663316d703431', 'hex'),
    moov,
  ]);
  const facts = await inspect('video/mp4', {
    bytes: 1000 * 1024 * 1024 + head.length,
    async *read({ start, end }) {
      read += end + 1 - start;
      const size = end + 1 - start;
      yield start < head.length
        ? Buffer.concat([head.subarray(start), Buffer.alloc(size)]).subarray(0, size)
        : Buffer.alloc(size);
    },
  });
  expect(facts).toBeNull();
  expect(read).toBeLessThan(200 * 1024 * 1024);
});

test.each(documents)('a document %s is recognized, and has no dimensions', async (_name, bytes) => {
  expect(await look(bytes)).toEqual({
    type: 'application/pdf',
    facts: { width: null, height: null, durationSeconds: null, animated: false },
  });
});

test('the inspection of a document does not depend on the chunks in which it is read', async () => {
  for (const pieceBytes of [1, 2, 3, 5, 7, 11]) {
    const found = (bytes: Buffer) => inspectDocument(fileOf(bytes, pieceBytes));
    for (const [, bytes] of documents) expect(await found(bytes)).toMatchObject({ kind: 'inspected' });
    for (const [, bytes] of encryptedDocuments)
      expect(await found(bytes)).toMatchObject({ reason: 'encrypted' });
  }
});

test.each(encryptedDocuments)('a document %s is encrypted', async (_name, bytes) => {
  expect(await look(bytes)).toEqual({ type: 'application/pdf', facts: 'encrypted' });
});

test.each(documents)('a truncated document %s is unreadable', async (_name, bytes) => {
  for (let left = 10; left < bytes.length - 7; left += 7)
    expect([left, await look(bytes.subarray(0, left))]).toEqual([
      left,
      { type: 'application/pdf', facts: null },
    ]);
});

test('a document whose index is missing at its position, or leads nowhere, is unreadable', async () => {
  const [, whole] = documents[0] ?? [];
  const text = whole?.toString('latin1') ?? '';
  const changed = [
    text.replace(/startxref\n\d+/, 'startxref\n9'),
    text.replace(/startxref\n\d+/, `startxref\n${text.length}`),
    text.replace('/Root 1 0 R', ''),
    text.replace('xref\n0 6', 'list\n0 6'),
    '%PDF-1.7\n1 0 obj',
    '%PDF-1.7 <html><script>alert(1)</script></html>\nstartxref\n0\n%%EOF',
  ];
  for (const one of changed) {
    expect(one).not.toBe(text);
    expect((await look(Buffer.from(one, 'latin1')))?.facts).toBeNull();
  }
});

test('the content of pages is not mistaken for document properties', async () => {
  // Its pages follow the index that it points to.
  const [, whole] = documents[2] ?? [];
  const text = whole?.toString('latin1') ?? '';
  const modified = text.replace('/BaseFont /Helvetica', '/Encrypt 9 0 R /A /B');
  expect(modified).not.toBe(text);
  expect(await look(Buffer.from(modified, 'latin1'))).toMatchObject({ facts: { animated: false } });
});

test('a document whose index claims to exhaust the memory is rejected without reading it', async () => {
  let read = 0;
  const head = Buffer.from('%PDF-1.7\n');
  const tail = Buffer.from('startxref\n9\n%%EOF');
  const bytes = 100 * 1024 * 1024;
  const facts = await inspect('application/pdf', {
    bytes,
    async *read({ start, end }) {
      for (let at = start; at <= end; at += 65_536) {
        const piece = Buffer.alloc(Math.min(65_536, end + 1 - at), '0');
        if (at === 0) head.copy(piece);
        if (at <= head.length && head.length < at + piece.length) piece.write('xref\n', head.length - at);
        if (end === bytes - 1 && at + piece.length > end) tail.copy(piece, piece.length - tail.length);
        read += piece.length;
        yield piece;
      }
    },
  });
  expect(facts).toBeNull();
  expect(read).toBeLessThan(17 * 1024 * 1024);
});

test('an unreadable store is not reported as a defect of the file', async () => {
  const broken: MediaBytes = {
    bytes: 1000,
    // oxlint-disable-next-line require-yield -- it fails before it has anything
    async *read() {
      throw new Error('the disk is gone');
    },
  };
  for (const type of ['video/mp4', 'application/pdf', 'image/png'])
    await expect(inspect(type, broken)).rejects.toMatchObject({
      message: 'the stored file cannot be read',
      cause: { message: 'the disk is gone' },
    });
});
