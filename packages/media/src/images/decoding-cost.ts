import type { Metadata } from 'sharp';

/**
 * The memory limit of decoding an image, besides its file. Most formats are decoded row by row; the others
 * are decoded as a whole, to a size that only their header states: 2 KiB of AVIF took 2.3 GiB. The decoders
 * are native code, which thread limits do not cover.
 */
export const DECODED_MAX_BYTES = 512 * 1024 * 1024;

/**
 * Bytes per pixel of formats that are decoded as a whole. Measured with sharp 0.35.5 on images of 10,000 ×
 * 10,000 pixels.
 */
const WEBP = 5;
const GIF = 5;
const AVIF_8_BIT = 18.5;
const AVIF_MORE_BITS = 25;
/** The size of a coefficient of a progressive JPEG, and the coefficients per pixel of subsampled images. */
const COEFFICIENT = 2;
const subsampled: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2 };

/** The memory that decoding takes, according to the header. */
export function decodedBytes({
  format,
  width,
  height,
  channels,
  depth,
  isProgressive,
  chromaSubsampling = '',
}: Metadata): number {
  const perPixel = () => {
    switch (format) {
      case 'webp':
        return WEBP;
      case 'gif':
        return GIF;
      case 'heif':
        return depth === 'uchar' ? AVIF_8_BIT : AVIF_MORE_BITS;
      case 'jpeg':
        return isProgressive ? COEFFICIENT * (subsampled[chromaSubsampling] ?? channels) : 0;
      case 'png':
        return isProgressive ? channels * (depth === 'uchar' ? 1 : 2) : 0;
      default:
        return Infinity;
    }
  };
  return width * height * perPixel();
}
