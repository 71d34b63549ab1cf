import { boxIn, type Box } from './boxes.js';

/** The file claims data that it does not contain. */
export class BrokenVideoError extends Error {}

/** The position of the last stored sample in the file. */
export interface LastSample {
  readonly start: number;
  readonly bytes: number;
}

/**
 * Reads a sample table in place, without copying its entries: a table of 16 MiB has millions, and one entry
 * of eight bytes may claim billions of samples. Every loop here runs over existing entries.
 */
export function sampleTable(bytes: Buffer, table: Box) {
  const findEntries = (type: string, entryBytes: number) => {
    const box = boxIn(bytes, table, type);
    return box && readEntries(bytes, box.content + 4, box.end, entryBytes);
  };
  return {
    /** Null where the table has no samples, as in a fragmented file. */
    lastSample(): LastSample | null {
      const sizes = readSizes(bytes, table);
      const chunks = findEntries('stsc', 12);
      const [offsetBytes, offsets] = findEntries('stco', 4)
        ? ([4, findEntries('stco', 4)] as const)
        : ([8, findEntries('co64', 8)] as const);
      if (!sizes || sizes.count === 0) return null;
      if (!chunks || !offsets) throw new BrokenVideoError();
      const last = sizes.count - 1;
      const { chunk, first } = findChunk(bytes, chunks, offsets.count, last);
      const at = offsets.start + chunk * offsetBytes;
      let start = offsetBytes === 4 ? bytes.readUInt32BE(at) : Number(bytes.readBigUInt64BE(at));
      start += sizes.sum(first, last);
      return { start, bytes: sizes.sum(last, last + 1) };
    },
    /** When the last displayed sample ends, in units of the track's timescale. */
    endTime: () => computeEndTime(bytes, findEntries('stts', 8), findEntries('ctts', 8)),
  };
}

interface TableEntries {
  readonly count: number;
  readonly start: number;
}

/** A count followed by as many entries. */
function readEntries(bytes: Buffer, at: number, end: number, entryBytes: number): TableEntries {
  if (at + 4 > end) throw new BrokenVideoError();
  const count = bytes.readUInt32BE(at);
  if (count * entryBytes > end - at - 4) throw new BrokenVideoError();
  return { count, start: at + 4 };
}

/**
 * The sizes of samples: one for all (which needs no entries, regardless of the count that it claims), or one
 * for each.
 */
function readSizes(bytes: Buffer, table: Box) {
  const box = boxIn(bytes, table, 'stsz') ?? boxIn(bytes, table, 'stz2');
  if (!box) return null;
  const at = box.content + 4;
  if (at + 8 > box.end) throw new BrokenVideoError();
  const isCompact = box.type === 'stz2';
  const common = isCompact ? 0 : bytes.readUInt32BE(at);
  const bits = isCompact ? bytes.readUInt8(at + 3) : 32;
  const count = bytes.readUInt32BE(at + 4);
  const start = at + 8;
  if (common === 0 && (![4, 8, 16, 32].includes(bits) || (count * bits) / 8 > box.end - start))
    throw new BrokenVideoError();
  const sizeOf = (index: number): number => {
    if (bits === 32) return bytes.readUInt32BE(start + index * 4);
    if (bits === 16) return bytes.readUInt16BE(start + index * 2);
    if (bits === 8) return bytes.readUInt8(start + index);
    const pair = bytes.readUInt8(start + (index >> 1));
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  };
  return {
    count,
    /** The size of the samples from `from` up to, but excluding, `to`. */
    sum(from: number, to: number): number {
      if (common > 0) return common * (to - from);
      let sum = 0;
      for (let index = from; index < to; index += 1) sum += sizeOf(index);
      return sum;
    },
  };
}

/**
 * The chunk of a sample, and the first sample of that chunk. An entry gives the samples per chunk from its
 * chunk on.
 */
function findChunk(
  bytes: Buffer,
  { count, start }: TableEntries,
  chunkCount: number,
  sample: number,
): { readonly chunk: number; readonly first: number } {
  let before = 0;
  for (let index = 0; index < count; index += 1) {
    const at = start + index * 12;
    const from = bytes.readUInt32BE(at) - 1;
    const perChunk = bytes.readUInt32BE(at + 4);
    const to = index + 1 < count ? bytes.readUInt32BE(at + 12) - 1 : chunkCount;
    if (from < 0 || to < from || to > chunkCount || perChunk === 0) throw new BrokenVideoError();
    const inRun = (to - from) * perChunk;
    if (sample < before + inRun) {
      const chunk = from + Math.floor((sample - before) / perChunk);
      return { chunk, first: before + (chunk - from) * perChunk };
    }
    before += inRun;
  }
  throw new BrokenVideoError();
}

/**
 * The latest end time of a sample. Both tables are run-length encoded: runs of samples with equal durations,
 * and of samples with equal composition offsets. Where neither changes, the last sample of a run ends last.
 */
function computeEndTime(
  bytes: Buffer,
  times: TableEntries | undefined,
  offsets: TableEntries | undefined,
): number {
  if (!times) throw new BrokenVideoError();
  let decoded = 0;
  let end = 0;
  let offsetIndex = 0;
  let offsetLeft = 0;
  let offset = 0;
  for (let index = 0; index < times.count; index += 1) {
    let left = bytes.readUInt32BE(times.start + index * 8);
    const sampleDuration = bytes.readUInt32BE(times.start + index * 8 + 4);
    while (left > 0) {
      while (offsetLeft === 0 && offsets && offsetIndex < offsets.count) {
        offsetLeft = bytes.readUInt32BE(offsets.start + offsetIndex * 8);
        offset = bytes.readInt32BE(offsets.start + offsetIndex * 8 + 4);
        offsetIndex += 1;
      }
      const isCovered = offsetLeft > 0;
      const run = isCovered ? Math.min(left, offsetLeft) : left;
      decoded += run * sampleDuration;
      end = Math.max(end, decoded + (isCovered ? offset : 0));
      left -= run;
      if (isCovered) offsetLeft -= run;
    }
  }
  return end;
}
