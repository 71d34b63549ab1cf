import type { ImageFitResult, ImageLimits } from '@switchboard/domain/ports';
import type { Metadata, Sharp } from 'sharp';
import { DECODED_MAX_BYTES, decodedBytes } from './decoding-cost.js';
import { isAnimatedPng } from './is-animated-png.js';
import { formats, safeSharp } from './safe-sharp.js';

const QUALITIES = [88, 70];
const SHRINK = 0.9;
/** A smaller image would be unrecognizable. */
const SIDE_MIN = 32;
/**
 * The memory of an encoder is a multiple of the image: AVIF 24.5 bytes per pixel, JPEG and WebP 5 to 6, PNG
 * none (measured with sharp 0.35.5). This limits the pixels of an image that is encoded again.
 */
const ENCODED_MAX_PIXELS: Readonly<Record<string, number>> = {
  'image/avif': 10_000_000,
  'image/jpeg': 40_000_000,
  'image/webp': 40_000_000,
};

const impossible = { kind: 'impossible' } as const;

/** Resizes and encodes an image again until it fits the limits of a platform. */
export async function fitImage(bytes: Buffer, limits: ImageLimits): Promise<ImageFitResult> {
  try {
    return await fit(bytes, limits);
  } catch {
    return impossible;
  }
}

async function fit(bytes: Buffer, limits: ImageLimits): Promise<ImageFitResult> {
  const metadata = await safeSharp(bytes).metadata();
  const { width, height } = metadata.autoOrient;
  const type = formats[metadata.format];
  if (type === undefined) return impossible;
  let scale = scaleWithin(width, height, limits);
  if (scale === 1 && limits.types.includes(type) && bytes.length <= limits.maxBytes)
    return { kind: 'fits', type, width, height };
  if ((metadata.pages ?? 1) > 1 || isAnimatedPng(bytes) || decodedBytes(metadata) > DECODED_MAX_BYTES)
    return impossible;

  const targets = listTargetTypes(type, metadata, limits.types);
  if (targets.length === 0) return impossible;
  for (;;) {
    let smallest = Infinity;
    for (const target of targets) {
      for (const quality of target === 'image/png' ? [100] : QUALITIES) {
        const targetScale = Math.min(
          scale,
          Math.sqrt((ENCODED_MAX_PIXELS[target] ?? Infinity) / (width * height)),
        );
        const { data, info } = await encode(
          orient(bytes, width, height, targetScale),
          target,
          quality,
        ).toBuffer({
          resolveWithObject: true,
        });
        if (data.length <= limits.maxBytes) {
          const image = { bytes: data, type: target, width: info.width, height: info.height };
          return { kind: 'fitted', image };
        }
        smallest = Math.min(smallest, data.length);
      }
    }
    // The file size is roughly proportional to the area.
    scale *= Math.min(SHRINK, Math.max(0.3, Math.sqrt(limits.maxBytes / smallest)));
    if (Math.min(width, height) * scale < SIDE_MIN) return impossible;
  }
}

function scaleWithin(width: number, height: number, limits: ImageLimits): number {
  const { maxWidth = Infinity, maxHeight = Infinity, maxPixels = Infinity } = limits;
  return Math.min(1, maxWidth / width, maxHeight / height, Math.sqrt(maxPixels / (width * height)));
}

/**
 * The possible target types, best first: its own type, then types that keep its transparency, then others.
 */
function listTargetTypes(
  type: string,
  { hasAlpha }: Metadata,
  allowed: readonly string[],
): readonly string[] {
  const photo = ['image/jpeg', 'image/webp', 'image/png'];
  const drawing = ['image/png', 'image/webp', 'image/jpeg'];
  const preferredTypes = [
    type,
    ...(hasAlpha || type === 'image/png' || type === 'image/gif' ? drawing : photo),
  ];
  return [...new Set(preferredTypes)].filter((each) => allowed.includes(each) && each !== 'image/gif');
}

/**
 * Sizes are rounded down, so that none exceeds its limit. The color profile is kept; other metadata is
 * removed.
 */
const orient = (bytes: Buffer, width: number, height: number, scale: number): Sharp => {
  const image = safeSharp(bytes).autoOrient().keepIccProfile();
  return scale === 1
    ? image
    : image.resize(Math.max(1, Math.floor(width * scale)), Math.max(1, Math.floor(height * scale)), {
        fit: 'fill',
      });
};

function encode(image: Sharp, type: string, quality: number): Sharp {
  switch (type) {
    case 'image/jpeg':
      return image.flatten({ background: 'white' }).jpeg({ quality });
    case 'image/webp':
      return image.webp({ quality });
    case 'image/avif':
      return image.avif({ quality });
    default:
      return image.png();
  }
}
