import { readVideoProperties } from '../meta/video-properties.js';
import { graphRefusal } from '../meta/graph.js';
import type { WireResponse } from '../wire/exchange.js';

const SHORTEST_SECONDS = 3;
const LONGEST_SECONDS = 90;
const [LEAST_WIDTH, LEAST_HEIGHT] = [540, 960];
const [NARROWEST, WIDEST] = [9 / 16, 16 / 9];

const notSupported = (code: number, what: string): WireResponse =>
  graphRefusal({
    message: `The video you tried to upload has ${what} that isn’t supported on Facebook.`,
    code,
  });

/**
 * The rejections that the reels documentation lists; the frame rate is not checked. Null for a valid reel.
 */
export function reelDefect(content: Uint8Array): WireResponse | null {
  const video = readVideoProperties(content);
  if (!video) return notSupported(1_363_024, 'a format');
  const ratio = video.width / video.height;
  if (ratio < NARROWEST || ratio > WIDEST) return notSupported(1_363_040, 'an aspect ratio');
  if (video.width < LEAST_WIDTH || video.height < LEAST_HEIGHT) return notSupported(1_363_127, 'resolution');
  return video.seconds < SHORTEST_SECONDS || video.seconds > LONGEST_SECONDS
    ? notSupported(1_363_128, 'a duration')
    : null;
}
