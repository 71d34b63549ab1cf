import type { InspectionResult, MediaBytes } from '@switchboard/domain/ports';
import { inspectMp4 } from './inspect-mp4.js';
import { inspectWebm } from './inspect-webm.js';
import { BrokenVideoError } from './sample-table.js';
import { windowedFile } from './windowed-file.js';

const SIDE_MAX = 16_384;
const SECONDS_MAX = 48 * 3600;

/**
 * Reads the format of a video and the position of its last frame: a truncated video lacks one of them.
 * Decodes nothing and copies no table: the memory use does not grow with the sizes that a file claims.
 */
export async function inspectVideo(
  type: string,
  file: MediaBytes,
  indexMaxBytes: number,
): Promise<InspectionResult> {
  const inspect = type === 'video/webm' ? inspectWebm : inspectMp4;
  try {
    const seen = await inspect(windowedFile(file), indexMaxBytes);
    if (seen === 'index_too_large') return { kind: 'unusable', reason: seen };
    if (seen) {
      const { width, height, durationSeconds } = seen;
      const isShown = width > 0 && height > 0 && width <= SIDE_MAX && height <= SIDE_MAX;
      if (isShown && durationSeconds > 0 && durationSeconds < SECONDS_MAX)
        return { kind: 'inspected', facts: { width, height, durationSeconds, animated: false } };
    }
  } catch (error) {
    // A position beyond the read bytes.
    if (!(error instanceof BrokenVideoError) && !(error instanceof RangeError)) throw error;
  }
  return { kind: 'unusable', reason: 'broken' };
}
