/** The header values of an MP4 or QuickTime file. */
interface VideoProperties {
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}

/** The offset of a value behind the name of its box (ISO/IEC 14496-12, version 0). */
const TIMESCALE = 16;
const DURATION = 20;
const WIDTH = 80;
const HEIGHT = 84;
/** Track dimensions are fixed-point numbers. */
const FIXED = 65_536;

/** Null when it is not such a video. */
export function readVideoProperties(content: Uint8Array): VideoProperties | null {
  const bytes = Buffer.from(content);
  const [movieHeader, track] = [bytes.indexOf('mvhd'), bytes.indexOf('tkhd')];
  if (movieHeader < 0 || track < 0 || bytes.length < Math.max(movieHeader + DURATION, track + HEIGHT) + 4)
    return null;
  const numberAt = (at: number) => bytes.readUInt32BE(at);
  return {
    width: numberAt(track + WIDTH) / FIXED,
    height: numberAt(track + HEIGHT) / FIXED,
    seconds: numberAt(movieHeader + DURATION) / numberAt(movieHeader + TIMESCALE),
  };
}
