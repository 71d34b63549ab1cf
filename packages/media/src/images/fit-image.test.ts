import { expect, test } from '@jest/globals';
import type { FittedImage, ImageLimits } from '@switchboard/domain/ports';
import sharp from 'sharp';
import { animatedImage, noiseImage, solidImage } from '../testing/images.js';
import { fitImage as fit } from './fit-image.js';

/** The converted image; null when conversion is impossible. */
async function fitImage(bytes: Buffer, limits: ImageLimits): Promise<FittedImage | null> {
  const fitting = await fit(bytes, limits);
  if (fitting.kind === 'fits') throw new Error('it fits already');
  return fitting.kind === 'fitted' ? fitting.image : null;
}

const all = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

test('an image that already fits is unchanged', async () => {
  const bytes = await noiseImage(300, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const limits = { types: ['image/jpeg'], maxBytes: bytes.length, maxWidth: 200, maxHeight: 300 };
  expect(await fit(bytes, limits)).toEqual({ kind: 'fits', type: 'image/jpeg', width: 200, height: 300 });
  const gif = await animatedImage('gif');
  expect(await fit(gif, { types: all, maxBytes: gif.length })).toMatchObject({ kind: 'fits' });
});

test.each([
  [{ maxWidth: 500 }, 500, 250],
  [{ maxHeight: 100 }, 200, 100],
  [{ maxWidth: 333, maxHeight: 333 }, 333, 166],
  [{ maxPixels: 20_000 }, 200, 100],
])('%j scales it down and keeps its aspect ratio', async (limits, width, height) => {
  const bytes = await solidImage(1000, 500).png().toBuffer();
  const fitted = await fitImage(bytes, { types: all, maxBytes: 1_000_000, ...limits });
  expect(fitted).toMatchObject({ type: 'image/png', width, height });
  expect(await sharp(fitted?.bytes).metadata()).toMatchObject({ format: 'png', width, height });
});

test.each(['jpeg', 'png', 'webp'] as const)(
  'an oversized %s is scaled down only as much as necessary',
  async (format) => {
    const bytes = await noiseImage(400, 300).toFormat(format).toBuffer();
    for (const maxBytes of [Math.floor(bytes.length * 0.9), 25_000, 5_000]) {
      const fitted = await fitImage(bytes, { types: all, maxBytes });
      expect(fitted?.bytes.length).toBeLessThanOrEqual(maxBytes);
      expect(fitted?.bytes.length).toBeGreaterThan(maxBytes / 8);
    }
  },
);

test('an unaccepted type is converted to an accepted one', async () => {
  const bytes = await solidImage(100, 50).avif().toBuffer();
  expect(await fitImage(bytes, { types: ['image/png', 'image/jpeg'], maxBytes: 100_000 })).toMatchObject({
    type: 'image/jpeg',
    width: 100,
    height: 50,
  });
  const gif = await solidImage(100, 50).gif().toBuffer();
  expect(await fitImage(gif, { types: ['image/png', 'image/jpeg'], maxBytes: 100_000 })).toMatchObject({
    type: 'image/png',
  });
});

test('transparency is kept where possible, and becomes white where not', async () => {
  const bytes = await sharp({
    create: { width: 80, height: 80, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
    .webp()
    .toBuffer();
  const png = await fitImage(bytes, { types: ['image/jpeg', 'image/png'], maxBytes: 100_000 });
  expect(png?.type).toBe('image/png');
  const jpeg = await fitImage(bytes, { types: ['image/jpeg'], maxBytes: 100_000 });
  const { dominant } = await sharp(jpeg?.bytes).stats();
  expect(dominant.r).toBeGreaterThan(240);
});

/** A phone photo: rotated by EXIF, with a wide-gamut profile and a GPS location. */
async function photo(): Promise<Buffer> {
  const bytes = await solidImage(400, 200)
    .withIccProfile('p3')
    .withExif({ IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' } })
    .jpeg()
    .toBuffer();
  return sharp(bytes).keepMetadata().withMetadata({ orientation: 6 }).jpeg().toBuffer();
}

test('a photo is rotated upright, keeps its colors and loses its location', async () => {
  const bytes = await photo();
  const place = Buffer.from([0x25, 0x88, 0x04, 0x00]);
  expect(bytes.includes(place)).toBe(true);
  const fitted = await fitImage(bytes, { types: all, maxBytes: 1_000_000, maxHeight: 300 });
  expect(fitted).toMatchObject({ width: 150, height: 300 });
  const { orientation, exif, icc } = await sharp(fitted?.bytes).metadata();
  expect(orientation ?? 1).toBe(1);
  expect(exif).toBeUndefined();
  expect(icc).toBeDefined();
});

test('an animation is not flattened, and an image that cannot be made to fit is reported', async () => {
  const limits = { types: ['image/jpeg'], maxBytes: 1_000_000 };
  for (const format of ['gif', 'webp'] as const)
    expect(await fitImage(await animatedImage(format), limits)).toBeNull();
  expect(
    await fitImage(await noiseImage(100, 100).png().toBuffer(), { types: all, maxBytes: 50 }),
  ).toBeNull();
  expect(
    await fitImage(await solidImage(10, 10).png().toBuffer(), { types: [], maxBytes: 1_000_000 }),
  ).toBeNull();
  expect(await fitImage(Buffer.from('no image'), limits)).toBeNull();
});
