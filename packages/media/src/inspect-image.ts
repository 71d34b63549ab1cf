import type { Inspected } from '@switchboard/domain';
import { fileTypeFromBuffer } from 'file-type';
import { formats, safeSharp } from './safe-sharp.js';

/** Decodes it whole, since only that tells whether it is: to a few pixels, which costs little memory. */
export async function inspectImage(type: string, bytes: Uint8Array): Promise<Inspected | null> {
  try {
    const { format, autoOrient, pages } = await safeSharp(bytes).metadata();
    if (formats[format] !== type) return null;
    await safeSharp(bytes).resize(8, 8, { fit: 'fill' }).raw().toBuffer();
    const { width, height } = autoOrient;
    return {
      width,
      height,
      durationSeconds: null,
      animated: (pages ?? 1) > 1 || (await isAnimatedPng(bytes)),
    };
  } catch {
    // Whatever the decoder does not like about it, it cannot be published.
    return null;
  }
}

/** libvips sees only the first frame of one. */
export const isAnimatedPng = async (bytes: Uint8Array): Promise<boolean> =>
  (await fileTypeFromBuffer(bytes))?.mime === 'image/apng';
