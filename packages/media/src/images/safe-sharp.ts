import sharp, { type Sharp, type SharpOptions } from 'sharp';

/** More than any camera produces, and far below what a small file can be made to decode to. */
const MAX_PIXELS = 100_000_000;

// libvips reads dozens of formats, including SVG, which embeds programs. Only the five accepted ones stay
// enabled.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
});
sharp.cache(false);
// One thread per image, so that two images and the rest of the process share the processor.
sharp.concurrency(1);

export const safeSharp = (bytes: Uint8Array, options: SharpOptions = {}): Sharp =>
  sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true, ...options });

/** libvips's names of the accepted types. */
export const formats: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  heif: 'image/avif',
};
