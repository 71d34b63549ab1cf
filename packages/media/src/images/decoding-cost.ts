import type { Metadata } from 'sharp';

/**
 * What decoding an image may hold besides its file. Most formats are decoded row by row; the others unfold as a whole, and how far
 * only their header tells: 2 KiB of AVIF were seen to take 2.3 GiB. The decoders are native code, which no limit of a thread ends.
 */
export const DECODED_MAX_BYTES = 512 * 1024 * 1024;

/** Bytes for each pixel of formats that unfold as a whole. Measured with sharp 0.35.5 on images of 10,000 × 10,000 pixels. */
const WEBP = 5;
const GIF = 5;
const AVIF_8_BIT = 18.5;
const AVIF_MORE_BITS = 25;
/** A coefficient of a progressive JPEG, and how many a pixel has of those that do not have one for each channel. */
const COEFFICIENT = 2;
const subsampled: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2 };

/** What decoding takes, as the header says. */
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
