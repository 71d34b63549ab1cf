import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import { MEDIA_QUEUE_MAX } from '@switchboard/domain/media';
import type { MediaBytes } from '@switchboard/domain/ports';
import sharp from 'sharp';
import { mediaTools, type QueuedMediaTools } from './media-tools.js';
import { avifBomb, bombPng, animatedImage, noiseImage, solidImage } from './testing/images.js';
import { video } from './testing/videos.js';

const MIB = 1024 * 1024;
const turnOf = (name: string) => ({ workspaceId: `wsp_${name}` as WorkspaceId });
const fileOf = (bytes: Buffer): MediaBytes => ({
  bytes: bytes.length,
  async *read({ start, end }) {
    yield bytes.subarray(start, end + 1);
  },
});

let tools: QueuedMediaTools;
let errors: unknown[];
const open = (over: Parameters<typeof mediaTools>[0] = {}) => {
  errors = [];
  tools = mediaTools({ onError: (error) => errors.push(error), ...over });
  return tools;
};
afterEach(async () => {
  await tools.close();
  expect(tools.threads()).toBe(0);
  expect(errors).toEqual([]);
});

/** A complete image that takes a while to decode. */
const wholePng = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: 'blue' } })
    .png({ compressionLevel: 1 })
    .toBuffer();

test('finding 8: the images of one workspace are decoded one at a time, with that of another between them', async () => {
  open();
  const [large, point] = [await wholePng(3000), await wholePng(1)];
  const ended: string[] = [];
  const inspect = async (name: string, bytes: Buffer) => {
    const inspection = await tools.inspect('image/png', fileOf(bytes), turnOf(name.slice(0, 1)));
    ended.push(`${name} ${inspection.kind}`);
  };
  // Both threads are running.
  await Promise.all([inspect('c', point), inspect('d', point)]);
  ended.splice(0);
  const busy = Array.from({ length: 12 }, (_, nth) => inspect(`a${nth}`, large));
  await busy[0];
  await inspect('b', point);
  // One ended before it arrived; during its turn one more may have ended.
  expect(ended.indexOf('b inspected')).toBeLessThan(3);
  await Promise.all(busy);
  expect(ended.filter((name) => name.startsWith('a'))).toEqual(
    Array.from({ length: 12 }, (_, nth) => `a${nth} inspected`),
  );
});

test('of a hundred concurrent files one is decoded and fifty wait, and none of another workspace is rejected', async () => {
  open();
  const bytes = await solidImage(400, 300).png().toBuffer();
  let read = 0;
  let most = 0;
  const counted: MediaBytes = {
    bytes: bytes.length,
    async *read({ start, end }) {
      most = Math.max(most, (read += 1));
      yield bytes.subarray(start, end + 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      read -= 1;
    },
  };
  const busy = Array.from({ length: 100 }, () => tools.inspect('image/png', counted, turnOf('a')));
  expect(tools.isFull(turnOf('a').workspaceId)).toBe(true);
  expect(tools.depth()).toEqual({ waiting: MEDIA_QUEUE_MAX, running: 1 });
  const others = Array.from({ length: 20 }, () => tools.inspect('image/png', counted, turnOf('b')));
  const patient = tools.inspect('image/png', counted, { ...turnOf('a'), bypassesQueueLimit: true });
  const kinds = (await Promise.all(busy)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'inspected')).toHaveLength(1 + MEDIA_QUEUE_MAX);
  expect(kinds.filter((kind) => kind === 'queue_full')).toHaveLength(99 - MEDIA_QUEUE_MAX);
  for (const one of [...others, patient]) expect(await one).toMatchObject({ kind: 'inspected' });
  // Waiting files hold no bytes in memory.
  expect(most).toBeLessThanOrEqual(2);
  expect(tools.depth()).toEqual({ waiting: 0, running: 0 });
});

/** An MP4 with box sizes only: it claims that an index of so many bytes follows. */
const withIndexOf = (bytes: number): MediaBytes => {
  const head = Buffer.from(
    '0000001c6674797069736f6d0000020069736f6d69736f32617663316d7034310000000000000000',
    'hex',
  ).subarray(0, 36);
  head.writeUInt32BE(bytes, 28);
  head.write('moov', 32, 'latin1');
  const whole = Buffer.concat([head, Buffer.alloc(64 * 1024)]);
  return {
    bytes: 28 + bytes,
    async *read({ start, end }) {
      const part = whole.subarray(start, end + 1);
      yield Buffer.concat([part, Buffer.alloc(end + 1 - start - part.length)]);
    },
  };
};

test('finding 9: six videos with an index of 120 MB take no memory and do not block the process', async () => {
  open();
  await tools.inspect('image/png', fileOf(bombPng(10, 10)), turnOf('warm'));
  const before = process.memoryUsage().rss;
  const cpuBefore = process.threadCpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const six = await Promise.all(
    Array.from({ length: 6 }, (_, nth) =>
      tools.inspect('video/mp4', withIndexOf(120_000_000), turnOf(`${nth}`)),
    ),
  );
  delay.disable();
  const cpu = process.threadCpuUsage(cpuBefore);
  expect(six).toEqual(six.map(() => ({ kind: 'unusable', reason: 'index_too_large' })));
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  expect((cpu.user + cpu.system) / 1000).toBeLessThan(1000);
  expect(delay.max / 1e6).toBeLessThan(2000);
  const largest = await tools.inspect('video/mp4', withIndexOf(16 * MIB + 8), turnOf('a'));
  expect(largest).toEqual({ kind: 'unusable', reason: 'broken' });
});

test('an image whose decoding would exceed the memory limit is rejected by its header', async () => {
  open();
  const before = process.memoryUsage().rss;
  expect(avifBomb.length).toBeLessThan(2048);
  expect(await tools.inspect('image/avif', fileOf(avifBomb), turnOf('a'))).toEqual({
    kind: 'unusable',
    reason: 'too_costly',
  });
  const limits = { types: ['image/jpeg'], maxBytes: 100_000 };
  expect(await tools.fitImage(fileOf(avifBomb), limits, turnOf('a'))).toEqual({ kind: 'impossible' });
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
});

test('modified or truncated files of every kind are rejected or read, and crash nothing', async () => {
  open();
  const samples: (readonly [string, Buffer])[] = [];
  for (const format of ['jpeg', 'png', 'gif', 'webp', 'avif'] as const)
    samples.push([`image/${format}`, await noiseImage(40, 30).toFormat(format).toBuffer()]);
  samples.push(['image/gif', await animatedImage('gif')], ['image/webp', await animatedImage('webp')]);
  for (const container of ['mp4', 'fragmented'] as const)
    samples.push(['video/mp4', await video(container, 1)]);
  samples.push(['video/webm', await video('webm', 1)]);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed % below;
  };
  const work: Promise<unknown>[] = [];
  for (let nth = 0; nth < 600; nth++) {
    const [type, sample] = samples[nth % samples.length] ?? ['', Buffer.alloc(0)];
    const bytes = Buffer.from(sample);
    for (let change = random(6); change >= 0; change--) {
      const at = random(nth % 3 === 0 ? bytes.length : 200);
      if (change % 2 === 0) bytes[at] = random(256);
      else bytes.fill(0xff, at, Math.min(at + 4, bytes.length));
    }
    const cut = nth % 5 === 0 ? bytes.subarray(0, 1 + random(bytes.length)) : bytes;
    const turn = { ...turnOf(`${nth % 4}`), bypassesQueueLimit: true };
    work.push(
      tools
        .inspect(type, fileOf(cut), turn)
        .then(({ kind }) => expect(['inspected', 'unusable']).toContain(kind)),
    );
    if (type.startsWith('image/') && nth % 3 === 0) {
      const limits = { types: ['image/jpeg', 'image/png'], maxBytes: 900, maxWidth: 30 };
      work.push(
        tools
          .fitImage(fileOf(cut), limits, turn)
          .then(({ kind }) => expect(['fits', 'fitted', 'impossible']).toContain(kind)),
      );
    }
  }
  await Promise.all(work);
}, 120_000);

test('closing in the middle interrupts all running and later work', async () => {
  open();
  const large = await wholePng(6000);
  const work = Array.from({ length: 12 }, (_, nth) =>
    tools.inspect('image/png', fileOf(large), turnOf(`${nth % 3}`)),
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  await tools.close();
  for (const one of await Promise.all(work))
    expect(one).toMatchObject({ kind: expect.stringMatching(/^(out_of_time|interrupted|inspected)$/) });
  expect(await tools.inspect('image/png', fileOf(large), turnOf('a'))).toEqual({ kind: 'interrupted' });
  expect(tools.threads()).toBe(0);
});

test('without work there is no thread', async () => {
  open({ idleMs: 50 });
  expect(tools.threads()).toBe(0);
  await tools.detectType(bombPng(9, 9));
  expect(tools.threads()).toBe(0);
  const read = await tools.inspect('image/png', fileOf(await solidImage(9, 9).png().toBuffer()), turnOf('a'));
  expect(read).toMatchObject({ kind: 'inspected' });
  while (tools.threads() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});
