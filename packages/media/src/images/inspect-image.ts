import type { InspectionResult } from '@switchboard/domain/ports';
import { DECODED_MAX_BYTES, decodedBytes } from './decoding-cost.js';
import { isAnimatedPng } from './is-animated-png.js';
import { formats, safeSharp } from './safe-sharp.js';

const broken = { kind: 'unusable', reason: 'broken' } as const;

/**
 * Decodes the whole image, which alone proves that it is intact, to a few pixels. An image that would decode
 * to too much memory is rejected by its header.
 */
export async function inspectImage(type: string, bytes: Buffer): Promise<InspectionResult> {
  try {
    const metadata = await safeSharp(bytes).metadata();
    if (formats[metadata.format] !== type) return broken;
    if (decodedBytes(metadata) > DECODED_MAX_BYTES) return { kind: 'unusable', reason: 'too_costly' };
    await safeSharp(bytes).resize(8, 8, { fit: 'fill' }).raw().toBuffer();
    const { width, height } = metadata.autoOrient;
    const animated = (metadata.pages ?? 1) > 1 || isAnimatedPng(bytes);
    return { kind: 'inspected', facts: { width, height, durationSeconds: null, animated } };
  } catch {
    // An image that the decoder rejects cannot be published.
    return broken;
  }
}
