import { expect, test } from '@jest/globals';
import type { MediaProperties, MediaBytes } from '@switchboard/domain/ports';
import { mp4With, oneSample, sampleTables, video } from '../testing/videos.js';
import { inspectVideo } from './inspect-video.js';

const { u32, tableBox } = sampleTables;
const MIB = 1024 * 1024;
const INDEX_MAX = 16 * MIB;

/** A file that counts the bytes read from it. */
function fileOf(bytes: Buffer): MediaBytes & { read: MediaBytes['read']; readBytes: number } {
  return {
    bytes: bytes.length,
    readBytes: 0,
    async *read({ start, end }) {
      this.readBytes += end + 1 - start;
      yield bytes.subarray(start, end + 1);
    },
  };
}
async function inspect(bytes: Buffer, type = 'video/mp4'): Promise<MediaProperties | string> {
  const inspection = await inspectVideo(type, fileOf(bytes), INDEX_MAX);
  if (inspection.kind === 'inspected') return inspection.facts;
  return inspection.kind === 'unusable' ? inspection.reason : inspection.kind;
}

test.each([
  ['mp4', 'video/mp4'],
  ['fastStart', 'video/mp4'],
  ['fragmented', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['recorded', 'video/webm'],
] as const)('%s has its size and duration, and is broken when it was truncated', async (container, type) => {
  const bytes = await video(container, 3);
  const facts = await inspect(bytes, type);
  expect(facts).toMatchObject({ width: 640, height: 360, animated: false });
  expect(Math.abs((facts as { durationSeconds: number }).durationSeconds - 3)).toBeLessThan(0.11);
  for (const share of [0, 0.01, 0.1, 0.3])
    expect([share, await inspect(bytes.subarray(0, Math.floor(bytes.length * share)), type)]).toEqual([
      share,
      'broken',
    ]);
});

test.each(['mp4', 'mov', 'webm'] as const)(
  '%s recorded in portrait has its displayed height',
  async (container) => {
    const type = container === 'webm' ? 'video/webm' : container === 'mov' ? 'video/quicktime' : 'video/mp4';
    // WebM has its own rotation element, which the writer does not support.
    const [width, height] = container === 'webm' ? [640, 360] : [360, 640];
    expect(await inspect(await video(container, 1, container === 'webm' ? 0 : 90), type)).toMatchObject({
      width,
      height,
    });
  },
);

test('in a table with a duration and offset per sample, the latest end counts', async () => {
  const tables = {
    stts: tableBox('stts', 2, u32(2, 100, 3, 200)),
    // The second sample of five is shown last.
    ctts: tableBox('ctts', 3, u32(1, 0, 1, 700, 3, 0)),
    stsz: sized(5),
    stsc: tableBox('stsc', 1, u32(1, 5, 1)),
  };
  expect(await inspect(mp4With(tables))).toMatchObject({ durationSeconds: 0.9 });
});
const sized = (count: number) => {
  const box = Buffer.alloc(20 + count * 4, 0);
  box.writeUInt32BE(box.length, 0);
  box.write('stsz', 4, 'latin1');
  box.writeUInt32BE(count, 16);
  for (let nth = 0; nth < count; nth++) box.writeUInt32BE(2, 20 + nth * 4);
  return box;
};

test('finding 9: an index of more than 16 MiB is rejected by its size, unread', async () => {
  const count = 15_000_000;
  const bytes = mp4With({ stts: tableBox('stts', count, Buffer.alloc(count * 8, 1)) });
  expect(bytes.length).toBeGreaterThan(114 * MIB);
  const file = fileOf(bytes);
  const before = process.memoryUsage().rss;
  expect(await inspectVideo('video/mp4', file, INDEX_MAX)).toEqual({
    kind: 'unusable',
    reason: 'index_too_large',
  });
  expect(file.readBytes).toBeLessThan(64 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(16 * MIB);
});

test('an index of nearly 16 MiB is read without a copy of its two million entries', async () => {
  const count = 2_000_000;
  const entries = Buffer.alloc(count * 8);
  for (let nth = 0; nth < count; nth++) entries.writeUInt32BE(1, nth * 8);
  entries.writeUInt32BE(5000, entries.length - 4);
  const bytes = mp4With({ stts: tableBox('stts', count, entries) });
  const before = process.memoryUsage().heapUsed;
  expect(await inspect(bytes)).toMatchObject({ durationSeconds: 5 });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * MIB);
});

const MAX = 0xffffffff;
/** A fraction of the largest claim. */
const FEWER = MAX >>> 8;
test.each<[string, (claim: number) => Parameters<typeof mp4With>[0]]>([
  [
    'billions of samples in eight bytes',
    (claim) => ({ stts: tableBox('stts', 1, u32(claim, 1)), ctts: tableBox('ctts', 1, u32(claim, 1)) }),
  ],
  [
    'billions of samples of one size',
    (claim) => ({ stsz: Buffer.concat([u32(20), Buffer.from('stsz'), u32(0, 1, claim)]) }),
  ],
  [
    'a chunk of billions of samples',
    (claim) => ({
      stsc: tableBox('stsc', 1, u32(1, claim, 1)),
      stsz: Buffer.concat([u32(20), Buffer.from('stsz'), u32(0, 1, claim)]),
    }),
  ],
  ['more entries than there are', (claim) => ({ stts: tableBox('stts', claim, u32(1, 1)) })],
  [
    'more sizes than there are',
    (claim) => ({ stsz: Buffer.concat([u32(20), Buffer.from('stsz'), u32(0, 0, claim)]) }),
  ],
  ['no times', () => ({ stts: Buffer.alloc(0) })],
  ['chunks without samples', () => ({ stsc: tableBox('stsc', 1, u32(1, 0, 1)) })],
  ['a chunk before the first', () => ({ stsc: tableBox('stsc', 1, u32(0, 1, 1)) })],
  ['a chunk that is not there', () => ({ stsc: tableBox('stsc', 1, u32(2, 1, 1)) })],
  ['a sample beyond the end', (claim) => ({ stco: tableBox('stco', 1, u32(claim)) })],
  ['a table that ends in its count', () => ({ stco: Buffer.concat([u32(12), Buffer.from('stco'), u32(0)]) })],
])('a video that claims %s is rejected without work in proportion to the claim', async (_what, tables) => {
  expect(await inspect(mp4With({}))).toMatchObject({ width: 640, height: 360, durationSeconds: 1 });
  expect(await inspect(mp4With(tables(MAX)))).toBe('broken');
  /** Processor time in ms, because wall-clock time grows on a busy machine; the least of three runs. */
  const costOf = async (claim: number) => {
    const costs: number[] = [];
    for (let run = 0; run < 3; run++) {
      const before = process.cpuUsage();
      await inspect(mp4With(tables(claim)));
      const { user, system } = process.cpuUsage(before);
      costs.push((user + system) / 1000);
    }
    return Math.min(...costs);
  };
  // In proportion is 256.
  expect((await costOf(MAX)) / Math.max(await costOf(FEWER), 1)).toBeLessThan(16);
});

test('a file of nothing but small boxes or elements is not walked forever', async () => {
  const boxes = Buffer.alloc(4 * MIB);
  for (let at = 0; at < boxes.length; at += 8) boxes.writeUInt32BE(8, at);
  const file = fileOf(Buffer.concat([mp4With(oneSample).subarray(0, 24), boxes]));
  expect(await inspectVideo('video/mp4', file, INDEX_MAX)).toEqual({ kind: 'unusable', reason: 'broken' });
  expect(file.readBytes).toBeLessThan(64 * 1024);
});

test('a WebM whose index, or whose data before the frames, exceeds 16 MiB is rejected by its size', async () => {
  const head = (await video('webm', 1)).subarray(0, 4096);
  const at = head.lastIndexOf(Buffer.from([0x15, 0x49, 0xa9, 0x66]));
  const changed = Buffer.from(head);
  // The size of the segment's known part, in eight bytes.
  changed.set([0x01, 0, 0, 0, 0x10, 0, 0, 0], at + 4);
  expect(await inspect(changed, 'video/webm')).toBe('index_too_large');
});
