import type { ImageFitResult, ImageLimits } from '@switchboard/domain';
import type { Metadata, Sharp } from 'sharp';
import { DECODED_MAX_BYTES, decodedBytes } from './decoding-cost.js';
import { isAnimatedPng } from './is-animated-png.js';
import { formats, safeSharp } from './safe-sharp.js';

const QUALITIES = [88, 70];
const SHRINK = 0.9;
/** Below this nobody would recognize it. */
const SIDE_MIN = 32;
/**
 * An encoder holds a multiple of the picture: AVIF 24.5 bytes for each pixel, JPEG and WebP 5 to 6, PNG nothing (measured with sharp
 * 0.35.5). What is encoded again has at most so many pixels.
 */
const ENCODED_MAX_PIXELS: Readonly<Record<string, number>> = {
  'image/avif': 10_000_000,
  'image/jpeg': 40_000_000,
  'image/webp': 40_000_000,
};

const impossible = { kind: 'impossible' } as const;

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
    // Bytes go roughly with the area.
    scale *= Math.min(SHRINK, Math.max(0.3, Math.sqrt(limits.maxBytes / smallest)));
    if (Math.min(width, height) * scale < SIDE_MIN) return impossible;
  }
}

function scaleWithin(width: number, height: number, limits: ImageLimits): number {
  const { maxWidth = Infinity, maxHeight = Infinity, maxPixels = Infinity } = limits;
  return Math.min(1, maxWidth / width, maxHeight / height, Math.sqrt(maxPixels / (width * height)));
}

/** What it may become, best first: what it is, and what keeps its transparency, before what does not. */
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

/** Sizes are rounded down, so that none is beyond its limit. Colours keep their profile; what else was noted in the file goes. */
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
