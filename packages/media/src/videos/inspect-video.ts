import type { InspectionResult, MediaBytes } from '@switchboard/domain';
import { inspectMp4 } from './inspect-mp4.js';
import { inspectWebm } from './inspect-webm.js';
import { BrokenVideoError } from './sample-table.js';
import { windowedFile } from './windowed-file.js';

const SIDE_MAX = 16_384;
const SECONDS_MAX = 48 * 3600;

/**
 * Reads how a video is stored and where its last picture lies: a video that was cut off has lost the one or the other. Nothing is
 * decoded, and no table is copied: what is held does not grow with what a file claims to have.
 */
export async function inspectVideo(
  type: string,
  file: MediaBytes,
  indexMaxBytes: number,
): Promise<InspectionResult> {
  const inspect = type === 'video/webm' ? inspectWebm : inspectMp4;
  try {
    const seen = await inspect(windowedFile(file), indexMaxBytes);
    if (seen === 'index_too_large') return { kind: 'unusable', why: seen };
    if (seen) {
      const { width, height, durationSeconds } = seen;
      const isShown = width > 0 && height > 0 && width <= SIDE_MAX && height <= SIDE_MAX;
      if (isShown && durationSeconds > 0 && durationSeconds < SECONDS_MAX)
        return { kind: 'inspected', facts: { width, height, durationSeconds, animated: false } };
    }
  } catch (error) {
    // A position beyond what was read.
    if (!(error instanceof BrokenVideoError) && !(error instanceof RangeError)) throw error;
  }
  return { kind: 'unusable', why: 'broken' };
}
