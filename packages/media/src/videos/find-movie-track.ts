import { boxesIn, boxIn, type Box } from './boxes.js';

/** The video track that a player shows. */
export interface MovieTrack {
  readonly id: number;
  readonly width: number;
  readonly height: number;
  readonly timescale: number;
  /** The duration that its edit list removes from the start, in units of `timescale`. */
  readonly skipped: number;
  readonly table: Box | undefined;
}

interface TrackCandidate extends MovieTrack {
  readonly isEnabled: boolean;
}

/** The first enabled video track; the first of all if none is enabled. */
export function findMovieTrack(bytes: Buffer, movie: Pick<Box, 'content' | 'end'>): MovieTrack | null {
  const header = boxIn(bytes, movie, 'mvhd');
  if (!header) return null;
  const isLong = bytes.readUInt8(header.content) === 1;
  const movieTimescale = bytes.readUInt32BE(header.content + (isLong ? 20 : 12));
  const isTurned = isTurnedBy(bytes, header.content + (isLong ? 48 : 36));
  let chosen: TrackCandidate | null = null;
  for (const box of boxesIn(bytes, movie)) {
    if (box.type !== 'trak') continue;
    const track = readCandidate(bytes, box, movieTimescale, isTurned);
    if (track?.isEnabled) return track;
    chosen ??= track;
  }
  return chosen;
}

function readCandidate(
  bytes: Buffer,
  track: Box,
  movieTimescale: number,
  isTurned: boolean,
): TrackCandidate | null {
  const header = boxIn(bytes, track, 'tkhd');
  const media = boxIn(bytes, track, 'mdia');
  if (!header || !media) return null;
  const handler = boxIn(bytes, media, 'hdlr');
  const times = boxIn(bytes, media, 'mdhd');
  const table = boxIn(bytes, media, 'minf', 'stbl');
  const description = table && boxIn(bytes, table, 'stsd');
  if (!handler || !times || !description) return null;
  if (bytes.toString('latin1', handler.content + 8, handler.content + 12) !== 'vide') return null;
  const [entry] = boxesIn(bytes, { content: description.content + 8, end: description.end });
  if (!entry || entry.end < entry.content + VISUAL_ENTRY_BYTES) return null;

  const isLong = bytes.readUInt8(header.content) === 1;
  const timescale = bytes.readUInt32BE(times.content + (bytes.readUInt8(times.content) === 1 ? 20 : 12));
  const [width, height] = computeDisplaySize(bytes, entry);
  const swapsSides = isTurnedBy(bytes, header.content + (isLong ? 52 : 40)) !== isTurned;
  return {
    id: bytes.readUInt32BE(header.content + (isLong ? 20 : 12)),
    isEnabled: (bytes.readUInt32BE(header.content) & 1) === 1,
    width: swapsSides ? height : width,
    height: swapsSides ? width : height,
    timescale,
    skipped: computeSkipped(bytes, boxIn(bytes, track, 'edts', 'elst'), timescale / movieTimescale),
    table,
  };
}

/** The fields of a visual sample entry, before the boxes that may follow. */
const VISUAL_ENTRY_BYTES = 78;

/** Pixels may be non-square (`pasp`): the smaller side is stretched. */
function computeDisplaySize(bytes: Buffer, entry: Box): readonly [number, number] {
  const width = bytes.readUInt16BE(entry.content + 24);
  const height = bytes.readUInt16BE(entry.content + 26);
  const aspect = boxIn(bytes, { content: entry.content + VISUAL_ENTRY_BYTES, end: entry.end }, 'pasp');
  if (!aspect || aspect.end < aspect.content + 8) return [width, height];
  const [wide, high] = [bytes.readUInt32BE(aspect.content), bytes.readUInt32BE(aspect.content + 4)];
  if (wide === 0 || high === 0) return [width, height];
  return wide > high
    ? [Math.round((width * wide) / high), height]
    : [width, Math.round((height * high) / wide)];
}

/** Whether the matrix rotates by a quarter turn: right becomes down or up. */
const isTurnedBy = (bytes: Buffer, at: number): boolean =>
  Math.abs(bytes.readInt32BE(at + 4)) > Math.abs(bytes.readInt32BE(at));

/** Empty edits delay the start; the first other edit gives the start position in the media. */
function computeSkipped(bytes: Buffer, list: Box | undefined, mediaPerMovie: number): number {
  if (!list || !Number.isFinite(mediaPerMovie)) return 0;
  const isLong = bytes.readUInt8(list.content) === 1;
  const entryBytes = isLong ? 20 : 12;
  let delay = 0;
  for (let at = list.content + 8; at + entryBytes <= list.end; at += entryBytes) {
    const lasts = isLong ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at);
    const from = isLong ? Number(bytes.readBigInt64BE(at + 8)) : bytes.readInt32BE(at + 4);
    if (from !== -1) return from - Math.round(delay * mediaPerMovie);
    delay += lasts;
  }
  return 0;
}
