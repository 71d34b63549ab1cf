import type { FittedImage, ImageLimits } from '@switchboard/domain';
import type { Metadata, Sharp } from 'sharp';
import { isAnimatedPng } from './inspect-image.js';
import { formats, safeSharp } from './safe-sharp.js';

const QUALITIES = [88, 70];
const SHRINK = 0.9;
/** Below this nobody would recognize it. */
const SIDE_MIN = 32;

export async function fitImage(bytes: Uint8Array, limits: ImageLimits): Promise<FittedImage | null> {
  try {
    return await fit(bytes, limits);
  } catch {
    return null;
  }
}

async function fit(bytes: Uint8Array, limits: ImageLimits): Promise<FittedImage | null> {
  const found = await safeSharp(bytes).metadata();
  const { width, height } = found.autoOrient;
  const type = formats[found.format];
  if (type === undefined) return null;
  let scale = scaleWithin(width, height, limits);
  if (scale === 1 && limits.types.includes(type) && bytes.length <= limits.maxBytes)
    return { bytes, type, width, height };
  if ((found.pages ?? 1) > 1 || (await isAnimatedPng(bytes))) return null;

  const targets = targetsOf(type, found, limits.types);
  if (targets.length === 0) return null;
  for (;;) {
    let smallest = Infinity;
    for (const target of targets) {
      for (const quality of target === 'image/png' ? [100] : QUALITIES) {
        const { data, info } = await encode(upright(bytes, width, height, scale), target, quality).toBuffer({
          resolveWithObject: true,
        });
        if (data.length <= limits.maxBytes)
          return { bytes: data, type: target, width: info.width, height: info.height };
        smallest = Math.min(smallest, data.length);
      }
    }
    // Bytes go roughly with the area.
    scale *= Math.min(SHRINK, Math.max(0.3, Math.sqrt(limits.maxBytes / smallest)));
    if (Math.min(width, height) * scale < SIDE_MIN) return null;
  }
}

function scaleWithin(width: number, height: number, limits: ImageLimits): number {
  const { maxWidth = Infinity, maxHeight = Infinity, maxPixels = Infinity } = limits;
  return Math.min(1, maxWidth / width, maxHeight / height, Math.sqrt(maxPixels / (width * height)));
}

/** What it may become, best first: what it is, and what keeps its transparency, before what does not. */
function targetsOf(type: string, { hasAlpha }: Metadata, allowed: readonly string[]): readonly string[] {
  const photo = ['image/jpeg', 'image/webp', 'image/png'];
  const drawing = ['image/png', 'image/webp', 'image/jpeg'];
  const wanted = [type, ...(hasAlpha || type === 'image/png' || type === 'image/gif' ? drawing : photo)];
  return [...new Set(wanted)].filter((each) => allowed.includes(each) && each !== 'image/gif');
}

/** Sizes are rounded down, so that none is beyond its limit. Colours keep their profile; what else was noted in the file goes. */
const upright = (bytes: Uint8Array, width: number, height: number, scale: number): Sharp => {
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
