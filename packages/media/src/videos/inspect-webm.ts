import { elementAt, elementsIn, floatOf, numberOf, trackNumber, type Element } from './elements.js';
import type { VideoProperties } from './video-properties.js';
import type { WindowedFile } from './windowed-file.js';

/** The Matroska elements (RFC 9559) that are read. */
const SEGMENT = 0x18538067;
const SEEK_HEAD = 0x114d9b74;
const SEEK = 0x4dbb;
const SEEK_ID = 0x53ab;
const SEEK_POSITION = 0x53ac;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const FLAG_DEFAULT = 0x88;
const DEFAULT_DURATION = 0x23e383;
const VIDEO = 0xe0;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
const DISPLAY_WIDTH = 0x54b0;
const DISPLAY_HEIGHT = 0x54ba;
const PROJECTION = 0x7670;
const POSE_ROLL = 0x7675;
const CUES = 0x1c53bb6b;
const CUE_POINT = 0xbb;
const CUE_TRACK_POSITIONS = 0xb7;
const CUE_TRACK = 0xf7;
const CUE_CLUSTER_POSITION = 0xf1;
const CLUSTER = 0x1f43b675;
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;

/** Direct children of a segment: any of these ends a cluster of unknown size. */
const LEVEL_1 = [SEEK_HEAD, INFO, TRACKS, CUES, CLUSTER, 0x1043a770, 0x1254c367, 0x1941a469];
const TYPE_VIDEO = 1;
const BLOCK_HEADER_MAX = 11;
const NANOSECONDS = 1e9;

interface WebmTrack {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** In nanoseconds. */
  readonly defaultDuration: number;
}

/**
 * Finds the video track and then the last cluster with a frame of it. Keeps only the last element of each
 * kind.
 */
export async function inspectWebm(
  file: WindowedFile,
  indexMaxBytes: number,
): Promise<VideoProperties | 'index_too_large' | null> {
  const segment = await findSegment(file);
  if (!segment) return null;
  let scale = 1_000_000;
  let track: WebmTrack | null = null;
  let cuesAt: number | null = null;
  for await (const element of elementsIn(file, segment)) {
    if (element.id === CLUSTER) {
      if (!track) return null;
      const cues = cuesAt === null ? null : await elementAt(file, cuesAt);
      if (cues?.id === CUES && sizeOf(cues) > indexMaxBytes) return 'index_too_large';
      const known = cues?.id === CUES ? await findLastCuePosition(file, cues, segment, track.number) : null;
      const last = await findLastFrame(file, segment, known ?? element.start, track.number);
      if (!last || last.end > file.bytes) return null;
      const { width, height, defaultDuration } = track;
      const lastDuration = last.duration === null ? defaultDuration : last.duration * scale;
      return { width, height, durationSeconds: (last.time * scale + lastDuration) / NANOSECONDS };
    }
    if ([INFO, TRACKS, SEEK_HEAD].includes(element.id) && sizeOf(element) > indexMaxBytes)
      return 'index_too_large';
    if (element.id === INFO) scale = (await readNumber(file, element, TIMESTAMP_SCALE)) ?? scale;
    else if (element.id === TRACKS) track ??= await findVideoTrack(file, element);
    else if (element.id === SEEK_HEAD) cuesAt ??= await findCuesPosition(file, element, segment);
  }
  return null;
}

const sizeOf = ({ content, end }: Element): number => (end ?? content) - content;

async function findSegment(file: WindowedFile): Promise<Element | null> {
  for await (const element of elementsIn(file, { content: 0, end: null })) {
    if (element.id === SEGMENT) return element;
  }
  return null;
}

/** The first child at `path`. */
async function findChild(file: WindowedFile, parent: Element, id: number): Promise<Element | null> {
  for await (const element of elementsIn(file, parent)) if (element.id === id) return element;
  return null;
}

async function readNumber(file: WindowedFile, parent: Element, id: number): Promise<number | null> {
  const child = await findChild(file, parent, id);
  return child && numberOf(file, child);
}

/** The first default track; the first of all without a default. */
async function findVideoTrack(file: WindowedFile, tracks: Element): Promise<WebmTrack | null> {
  let chosen: WebmTrack | null = null;
  for await (const entry of elementsIn(file, tracks)) {
    if (entry.id !== TRACK_ENTRY || (await readNumber(file, entry, TRACK_TYPE)) !== TYPE_VIDEO) continue;
    const video = await findChild(file, entry, VIDEO);
    const number = await readNumber(file, entry, TRACK_NUMBER);
    if (!video || number === null) continue;
    const defaultDuration = (await readNumber(file, entry, DEFAULT_DURATION)) ?? 0;
    const track = { number, defaultDuration, ...(await computeDisplaySize(file, video)) };
    if ((await readNumber(file, entry, FLAG_DEFAULT)) !== 0) return track;
    chosen ??= track;
  }
  return chosen;
}

/** Pixels may be non-square: the smaller side is stretched. A quarter turn swaps the sides. */
async function computeDisplaySize(
  file: WindowedFile,
  video: Element,
): Promise<Pick<WebmTrack, 'width' | 'height'>> {
  const pixelWidth = (await readNumber(file, video, PIXEL_WIDTH)) ?? 0;
  const pixelHeight = (await readNumber(file, video, PIXEL_HEIGHT)) ?? 0;
  const wide = ((await readNumber(file, video, DISPLAY_WIDTH)) ?? pixelWidth) * pixelHeight;
  const high = ((await readNumber(file, video, DISPLAY_HEIGHT)) ?? pixelHeight) * pixelWidth;
  const isStretched = wide > 0 && high > 0;
  const width = isStretched && wide > high ? Math.round((pixelWidth * wide) / high) : pixelWidth;
  const height = isStretched && high > wide ? Math.round((pixelHeight * high) / wide) : pixelHeight;
  const projection = await findChild(file, video, PROJECTION);
  const roll = projection && (await findChild(file, projection, POSE_ROLL));
  const isTurned = roll !== null && Math.abs(Math.round((await floatOf(file, roll)) / 90)) % 2 === 1;
  return isTurned ? { width: height, height: width } : { width, height };
}

async function findCuesPosition(
  file: WindowedFile,
  seekHead: Element,
  segment: Element,
): Promise<number | null> {
  for await (const seek of elementsIn(file, seekHead)) {
    if (seek.id !== SEEK || (await readNumber(file, seek, SEEK_ID)) !== CUES) continue;
    const position = await readNumber(file, seek, SEEK_POSITION);
    if (position !== null) return segment.content + position;
  }
  return null;
}

/** The position of the last cluster in the index. */
async function findLastCuePosition(
  file: WindowedFile,
  cues: Element,
  segment: Element,
  track: number,
): Promise<number | null> {
  let last: number | null = null;
  for await (const point of elementsIn(file, cues)) {
    if (point.id !== CUE_POINT) continue;
    for await (const positions of elementsIn(file, point)) {
      if (positions.id !== CUE_TRACK_POSITIONS || (await readNumber(file, positions, CUE_TRACK)) !== track)
        continue;
      const position = await readNumber(file, positions, CUE_CLUSTER_POSITION);
      if (position !== null) last = Math.max(last ?? 0, segment.content + position);
    }
  }
  return last;
}

interface VideoFrame {
  /** Both in units of the segment's scale. */
  readonly time: number;
  readonly duration: number | null;
  /** The end position of its bytes. */
  readonly end: number;
}

/** The frame with the latest time in the last cluster that has one, starting with the cluster at `from`. */
async function findLastFrame(
  file: WindowedFile,
  segment: Element,
  from: number,
  track: number,
): Promise<VideoFrame | null> {
  /** Of clusters with a known size only the last two are read. */
  let [before, last]: (Element | null)[] = [null, null];
  let found: VideoFrame | null = null;
  let at = from;
  const segmentEnd = Math.min(segment.end ?? file.bytes, file.bytes);
  while (at < segmentEnd) {
    const element = await elementAt(file, at);
    if (!element || (element.end === null && element.id !== CLUSTER)) break;
    if (element.id === CLUSTER && element.end === null) {
      const cluster = await readFrames(file, element, track);
      found = cluster.last ?? found;
      [before, last] = [null, null];
      at = cluster.end;
    } else {
      if (element.id === CLUSTER) [before, last] = [last ?? null, element];
      at = element.end ?? segmentEnd;
    }
  }
  for (const cluster of [last, before]) {
    if (!cluster) continue;
    // A truncated cluster may lack any number of frames.
    if (cluster.end !== null && cluster.end > file.bytes) return null;
    const frames = await readFrames(file, cluster, track);
    if (frames.last) return frames.last;
  }
  return found;
}

async function readFrames(
  file: WindowedFile,
  cluster: Element,
  track: number,
): Promise<{ readonly last: VideoFrame | null; readonly end: number }> {
  let time = 0;
  let last: VideoFrame | null = null;
  let end = cluster.content;
  for await (const element of elementsIn(file, cluster)) {
    if (cluster.end === null && LEVEL_1.includes(element.id)) return { last, end: element.start };
    end = element.end ?? file.bytes;
    if (element.id === TIMESTAMP) time = await numberOf(file, element);
    const frame =
      element.id === SIMPLE_BLOCK || element.id === BLOCK_GROUP
        ? await readFrame(file, element, time, track)
        : null;
    if (frame && (!last || frame.time >= last.time)) last = frame;
  }
  return { last, end };
}

async function readFrame(
  file: WindowedFile,
  element: Element,
  clusterTime: number,
  track: number,
): Promise<VideoFrame | null> {
  const block = element.id === SIMPLE_BLOCK ? element : await findChild(file, element, BLOCK);
  if (!block) return null;
  const header = await file.at(block.content, BLOCK_HEADER_MAX);
  const number = trackNumber(header);
  if (number?.value !== track || header.length < number.length + 2) return null;
  const duration = element.id === BLOCK_GROUP ? await readNumber(file, element, BLOCK_DURATION) : null;
  return {
    time: clusterTime + header.readInt16BE(number.length),
    duration,
    end: element.end ?? file.bytes + 1,
  };
}
