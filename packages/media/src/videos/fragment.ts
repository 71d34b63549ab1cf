import { boxesIn, boxIn, type Box } from './boxes.js';
import { BrokenVideoError, type LastSample } from './sample-table.js';

/** The defaults of samples without their own values (`trex`, `tfhd`). */
export interface SampleDefaults {
  readonly duration: number;
  readonly bytes: number;
}

/** The samples of a track in a fragment, in units of its timescale. */
interface TrackFragment {
  /** Null when unspecified: it follows the previous fragment. */
  readonly startTime: number | null;
  readonly duration: number;
  /** The latest end time of a sample, relative to `startTime`. */
  readonly end: number;
  readonly last: LastSample;
}

/** The movie's defaults for a track; null where the movie has no fragments. */
export function defaultsOf(
  bytes: Buffer,
  movie: Pick<Box, 'content' | 'end'>,
  trackId: number,
): SampleDefaults | null {
  const extends_ = boxIn(bytes, movie, 'mvex');
  if (!extends_) return null;
  for (const { type, content } of boxesIn(bytes, extends_)) {
    if (type === 'trex' && bytes.readUInt32BE(content + 4) === trackId)
      return { duration: bytes.readUInt32BE(content + 12), bytes: bytes.readUInt32BE(content + 16) };
  }
  return { duration: 0, bytes: 0 };
}

/** Reads a track's samples in a fragment, whose `bytes` start at `at` in the file. Null without any. */
export function trackFragment(
  bytes: Buffer,
  fragment: Pick<Box, 'content' | 'end'>,
  at: number,
  trackId: number,
  defaults: SampleDefaults,
): TrackFragment | null {
  for (const box of boxesIn(bytes, fragment)) {
    if (box.type !== 'traf') continue;
    const header = boxIn(bytes, box, 'tfhd');
    if (header && bytes.readUInt32BE(header.content + 4) === trackId)
      return readFragment(bytes, box, header, at, defaults);
  }
  return null;
}

function readFragment(
  bytes: Buffer,
  fragment: Box,
  header: Box,
  at: number,
  defaults: SampleDefaults,
): TrackFragment | null {
  const { base, ...own } = readHeader(bytes, header, at, defaults);
  const time = boxIn(bytes, fragment, 'tfdt');
  let duration = 0;
  let end = 0;
  let next = base;
  let last: LastSample | null = null;
  for (const box of boxesIn(bytes, fragment)) {
    if (box.type !== 'trun') continue;
    const run = readRun(bytes, box, base, next, own);
    if (run.last) last = run.last;
    end = Math.max(end, duration + run.end);
    duration += run.duration;
    next = run.next;
  }
  return last && { startTime: time ? startTimeOf(bytes, time) : null, duration, end, last };
}

const startTimeOf = (bytes: Buffer, { content }: Box): number =>
  bytes.readUInt8(content) === 1
    ? Number(bytes.readBigUInt64BE(content + 4))
    : bytes.readUInt32BE(content + 4);

/** Its optional fields have this order. */
function readHeader(
  bytes: Buffer,
  { content }: Box,
  fragmentAt: number,
  defaults: SampleDefaults,
): SampleDefaults & { readonly base: number } {
  const flags = bytes.readUInt32BE(content) & 0xffffff;
  let at = content + 8;
  let base = fragmentAt;
  if (flags & 0x1) {
    base = Number(bytes.readBigUInt64BE(at));
    at += 8;
  }
  if (flags & 0x2) at += 4;
  let { duration, bytes: sampleBytes } = defaults;
  if (flags & 0x8) {
    duration = bytes.readUInt32BE(at);
    at += 4;
  }
  if (flags & 0x10) sampleBytes = bytes.readUInt32BE(at);
  return { base, duration, bytes: sampleBytes };
}

/** Consecutive samples. Without per-sample fields, the duration is count times default, without a loop. */
function readRun(
  bytes: Buffer,
  { content, end: boxEnd }: Box,
  base: number,
  next: number,
  own: SampleDefaults,
) {
  const flags = bytes.readUInt32BE(content) & 0xffffff;
  const count = bytes.readUInt32BE(content + 4);
  let at = content + 8;
  let start = next;
  if (flags & 0x1) {
    start = base + bytes.readInt32BE(at);
    at += 4;
  }
  if (flags & 0x4) at += 4;
  const has = { duration: flags & 0x100, bytes: flags & 0x200, flags: flags & 0x400, offset: flags & 0x800 };
  const entryBytes = Object.values(has).filter((flag) => flag > 0).length * 4;
  if (count * entryBytes > boxEnd - at) throw new BrokenVideoError();
  if (count === 0) return { last: null, next: start, duration: 0, end: 0 };
  if (entryBytes === 0) {
    const duration = count * own.duration;
    const last = { start: start + (count - 1) * own.bytes, bytes: own.bytes };
    return { last, next: start + count * own.bytes, duration, end: duration };
  }
  let duration = 0;
  let end = 0;
  let last: LastSample = { start, bytes: 0 };
  for (let index = 0; index < count; index += 1) {
    let [sampleDuration, size, offset] = [own.duration, own.bytes, 0];
    if (has.duration) {
      sampleDuration = bytes.readUInt32BE(at);
      at += 4;
    }
    if (has.bytes) {
      size = bytes.readUInt32BE(at);
      at += 4;
    }
    if (has.flags) at += 4;
    if (has.offset) {
      offset = bytes.readInt32BE(at);
      at += 4;
    }
    duration += sampleDuration;
    end = Math.max(end, duration + offset);
    last = { start, bytes: size };
    start += size;
  }
  return { last, next: start, duration, end };
}
