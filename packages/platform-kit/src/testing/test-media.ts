import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { CardImage, PublishMedia } from '@switchboard/domain/ports';
import { sampleFiles } from './sample-files.js';

/** Media with its bytes in memory, which counts how often they were read. */
export interface TestMedia extends PublishMedia {
  readonly content: Uint8Array;
  reads(): number;
}

interface TestMediaOptions {
  readonly type?: string;
  readonly altText?: string | null;
  /** Whether an image is animated; its bytes are not. */
  readonly animated?: boolean;
  /** The duration of the file, if relevant. */
  readonly bytes?: number;
}

interface TestVideoOptions extends TestMediaOptions {
  /** Five seconds of 720 × 1280 pixels, MP4 only. */
  readonly upright?: boolean;
}

let created = 0;

/** A still image, distinct from every other if its type is PNG. */
export function imageOf({
  type = 'image/png',
  altText = null,
  animated = false,
  bytes,
}: TestMediaOptions = {}): TestMedia & CardImage {
  const [width, height] = [8, 6];
  const content = type === 'image/png' ? pngOf(width, height, ++created, bytes) : sampleOf(type, bytes);
  return mediaOf({ kind: 'image', type, width, height, durationSeconds: null, altText, animated }, content);
}

/** One second of video. */
export function videoOf({
  type = 'video/mp4',
  altText = null,
  bytes,
  upright = false,
}: TestVideoOptions = {}): TestMedia {
  const [width, height, durationSeconds] = upright ? [720, 1_280, 5] : [640, 360, 1];
  const facts = { kind: 'video', type, width, height, durationSeconds, altText } as const;
  const sample = sampleOf(type, bytes);
  return mediaOf(facts, upright ? makeUpright(sample) : sample);
}

/** The size of the image in the track and in its samples, and the timescale (57,600). */
const UPRIGHT_REPLACEMENTS = {
  '0280000001680000': '02d0000005000000',
  '02800168': '02d00500',
  '0000e1000000e100': '00002d000000e100',
} as const;
const makeUpright = (video: Uint8Array): Uint8Array =>
  Buffer.from(
    Object.entries(UPRIGHT_REPLACEMENTS).reduce(
      (rest, [was, is]) => rest.replaceAll(was, is),
      Buffer.from(video).toString('hex'),
    ),
    'hex',
  );

/** A page with one word. */
export function documentOf({
  type = 'application/pdf',
  altText = null,
  bytes,
}: TestMediaOptions = {}): TestMedia {
  const facts = {
    kind: 'document',
    type,
    width: null,
    height: null,
    durationSeconds: null,
    altText,
  } as const;
  return mediaOf(facts, sampleOf(type, bytes));
}

const published = new Map<string, TestMedia>();

/** The file at a URL that the platform fetches itself; undefined if there is none. */
export const testMediaAt = (url: string): TestMedia | undefined => published.get(url);

function mediaOf<
  Facts extends Pick<PublishMedia, 'kind' | 'type' | 'width' | 'height' | 'durationSeconds' | 'altText'> &
    Partial<Pick<PublishMedia, 'animated'>>,
>(facts: Facts, content: Uint8Array): TestMedia & Facts {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const ending = (facts.type.split('/')[1] ?? '').replace('jpeg', 'jpg');
  let reads = 0;
  const url = `https://media.example/${sha256}.${ending}`;
  const media: TestMedia & Facts = {
    animated: false,
    ...facts,
    bytes: content.length,
    sha256,
    fileName: `${sha256.slice(0, 8)}.${ending}`,
    content,
    reads: () => reads,
    async *read(range) {
      reads++;
      const requested = content.subarray(range?.start ?? 0, range ? range.end + 1 : content.length);
      const half = Math.ceil(requested.length / 2);
      // In two chunks, because a streamed file never arrives in one.
      yield requested.subarray(0, half);
      yield requested.subarray(half);
    },
    publicUrl: () => url,
  };
  published.set(url, media);
  return media;
}

function sampleOf(type: string, bytes: number | undefined): Uint8Array {
  const sample = sampleFiles[type as keyof typeof sampleFiles] as string | undefined;
  if (sample === undefined) throw new Error(`there is no sample of ${type}: add one to sample-files.ts`);
  const file = Buffer.from(sample, 'base64');
  return bytes === undefined ? file : Buffer.concat([file, Buffer.alloc(bytes - file.length)]);
}

/** A PNG of one color, padded with a chunk that decoders ignore. */
function pngOf(width: number, height: number, colour: number, bytes: number | undefined): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits each for red, green and blue
  const row = Buffer.alloc(1 + width * 3, Buffer.from([colour >> 8, colour, 200]));
  row[0] = 0;
  const [signature, ihdr, idat, iend] = [
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  const bare = Buffer.concat([signature, ihdr, idat, iend]);
  if (bytes === undefined) return bare;
  return Buffer.concat([signature, ihdr, chunk('paDd', Buffer.alloc(bytes - bare.length - 12)), idat, iend]);
}

function chunk(name: string, data: Buffer): Buffer {
  const [length, sum, named] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.concat([Buffer.from(name), data])];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
