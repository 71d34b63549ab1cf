import { BOX_HEADER_MAX, boxAt, boxesIn, type Box } from './boxes.js';
import { defaultsOf, trackFragment, type SampleDefaults } from './fragment.js';
import { findMovieTrack, type MovieTrack } from './find-movie-track.js';
import { BrokenVideoError, sampleTable, type LastSample } from './sample-table.js';
import type { VideoProperties } from './video-properties.js';
import type { WindowedFile } from './windowed-file.js';

/** Writers never put so many boxes before the movie. */
const BOXES_BEFORE_MOVIE = 1000;
/** A day in one-second fragments. */
const FRAGMENTS_MAX = 100_000;

/** Reads only box sizes until the movie box is found: an index that is too large is rejected unread. */
export async function inspectMp4(
  file: WindowedFile,
  indexMaxBytes: number,
): Promise<VideoProperties | 'index_too_large' | null> {
  const movie = await findMovie(file);
  if (!movie) return null;
  if (movie.end - movie.content > indexMaxBytes) return 'index_too_large';
  if (movie.end > file.bytes) return null;
  const bytes = await file.at(movie.content, movie.end - movie.content);
  const inside = { content: 0, end: bytes.length };
  const track = findMovieTrack(bytes, inside);
  if (!track?.table) return null;
  const table = sampleTable(bytes, track.table);
  const stored = table.lastSample();
  const tableEnd = { end: stored ? table.endTime() : 0, last: stored };
  const defaults = defaultsOf(bytes, inside, track.id);
  const ending = defaults
    ? await findFragmentsEnd(file, movie.end, { track, defaults, indexMaxBytes }, tableEnd)
    : tableEnd;
  if (ending === 'index_too_large') return ending;
  if (!ending.last || ending.last.bytes === 0 || ending.last.start + ending.last.bytes > file.bytes)
    return null;
  return {
    width: track.width,
    height: track.height,
    durationSeconds: (ending.end - track.skipped) / track.timescale,
  };
}

async function findMovie(file: WindowedFile): Promise<Box | null> {
  for (let at = 0, seen = 0; at < file.bytes && seen < BOXES_BEFORE_MOVIE; seen += 1) {
    const box = boxAt(await file.at(at, BOX_HEADER_MAX), 0, at, file.bytes);
    if (!box || box.type === 'moof') return null;
    if (box.type === 'moov') return box;
    at = box.end;
  }
  return null;
}

interface TrackEnd {
  readonly end: number;
  readonly last: LastSample | null;
}

/**
 * Iterates over the fragments, starting at the last one that an index at the end of the file (`mfra`) names,
 * if there is one.
 */
async function findFragmentsEnd(
  file: WindowedFile,
  from: number,
  context: FragmentContext,
  whole: TrackEnd,
): Promise<TrackEnd | 'index_too_large'> {
  const known = await findLastFragment(file, context);
  if (known !== null && known >= from) {
    const ending = await readFragments(file, known, context, { ...whole, isExact: false });
    if (ending !== null) return ending;
  }
  return (await readFragments(file, from, context, { ...whole, isExact: true })) ?? whole;
}

interface FragmentContext {
  readonly track: MovieTrack;
  readonly defaults: SampleDefaults;
  readonly indexMaxBytes: number;
}

/** Null when a fragment does not state its start time and earlier fragments were skipped. */
async function readFragments(
  file: WindowedFile,
  from: number,
  { track, defaults, indexMaxBytes }: FragmentContext,
  before: TrackEnd & { readonly isExact: boolean },
): Promise<TrackEnd | 'index_too_large' | null> {
  let { end, last } = before;
  let decoded = end;
  let isExact = before.isExact;
  let indexBytes = 0;
  for (let at = from, seen = 0; at < file.bytes;) {
    const box = boxAt(await file.at(at, BOX_HEADER_MAX), 0, at, file.bytes);
    if (!box) break;
    if (box.type === 'moof') {
      indexBytes += box.end - box.start;
      seen += 1;
      if (indexBytes > indexMaxBytes || seen > FRAGMENTS_MAX) return 'index_too_large';
      if (box.end > file.bytes) throw new BrokenVideoError();
      const bytes = await file.at(box.content, box.end - box.content);
      const found = trackFragment(bytes, { content: 0, end: bytes.length }, at, track.id, defaults);
      if (found) {
        if (found.startTime === null && !isExact) return null;
        isExact = true;
        const start = found.startTime ?? decoded;
        end = Math.max(end, start + found.end);
        decoded = start + found.duration;
        last = found.last;
      }
    }
    at = box.end;
  }
  return { end, last };
}

/** The size of `mfra` is the last field of the file (`mfro`). */
async function findLastFragment(
  file: WindowedFile,
  { track, indexMaxBytes }: FragmentContext,
): Promise<number | null> {
  const tail = await file.at(file.bytes - 4, 4);
  const size = tail.length === 4 ? tail.readUInt32BE(0) : 0;
  if (size < 16 || size > indexMaxBytes || size > file.bytes) return null;
  const bytes = await file.at(file.bytes - size, size);
  const box = boxAt(bytes, 0, 0, size);
  if (box?.type !== 'mfra' || box.end !== size) return null;
  try {
    for (const each of boxesIn(bytes, box)) {
      if (each.type !== 'tfra' || bytes.readUInt32BE(each.content + 4) !== track.id) continue;
      return readLastEntry(bytes, each);
    }
  } catch (error) {
    // An unreadable index is optional: the fragments can be found without it.
    if (!(error instanceof RangeError) && !(error instanceof BrokenVideoError)) throw error;
  }
  return null;
}

function readLastEntry(bytes: Buffer, { content }: Box): number | null {
  const isLong = bytes.readUInt8(content) === 1;
  const lengths = bytes.readUInt32BE(content + 8);
  const numbers = ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3) + 3;
  const entryBytes = (isLong ? 16 : 8) + numbers;
  const count = bytes.readUInt32BE(content + 12);
  if (count === 0) return null;
  const at = content + 16 + (count - 1) * entryBytes;
  return isLong ? Number(bytes.readBigUInt64BE(at + 8)) : bytes.readUInt32BE(at + 4);
}
