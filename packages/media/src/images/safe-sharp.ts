import sharp, { type Sharp, type SharpOptions } from 'sharp';

/** More than any camera that people post from, and far from what a small file can be made to unfold to. */
export const MAX_PIXELS = 100_000_000;

// libvips reads dozens of formats, programs like SVG among them. It is left the five that we take.
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
// One thread for each image, so that two images and the rest of the process share the processor.
sharp.concurrency(1);

export const safeSharp = (bytes: Uint8Array, options: SharpOptions = {}): Sharp =>
  sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true, ...options });

/** What libvips calls the types that we take. */
export const formats: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  heif: 'image/avif',
};
