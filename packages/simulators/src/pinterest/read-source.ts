import { fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import { sha256Of } from '../wire/sha256.js';
import type { PinterestMediaRoutes } from './media-routes.js';
import type { Pin, PinnedFile } from './pin-store.js';
import { invalid } from './problems.js';

const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
const CAROUSEL = { min: 2, max: 5 };
const MAGIC_BYTES: Readonly<Record<string, readonly number[]>> = {
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/png': [0x89, 0x50, 0x4e, 0x47],
};

/** The content of `media_source`, or the error. Image URLs are accepted but not fetched by the simulator. */
export function readSource(
  source: unknown,
  accountId: string,
  media: PinterestMediaRoutes,
): Pick<Pin, 'files' | 'coverSecond'> | WireResponse {
  const fields = fieldsOf(source);
  switch (fields['source_type']) {
    case 'image_base64':
      return readImages([fields]);
    case 'multiple_image_base64': {
      const items = Array.isArray(fields['items']) ? (fields['items'] as readonly unknown[]) : [];
      return items.length < CAROUSEL.min || items.length > CAROUSEL.max
        ? invalid(`Invalid media_source: a carousel has ${CAROUSEL.min} to ${CAROUSEL.max} items.`)
        : readImages(items.map(fieldsOf));
    }
    case 'video_id': {
      const video = media.readyVideo(accountId, textOf(fields['media_id']));
      if (!video) return invalid('Invalid media_id: the media is not there, or not ready.');
      const second = fields['cover_image_key_frame_time'];
      const hasCover =
        Number.isInteger(second) || textOf(fields['cover_image_url']) || textOf(fields['cover_image_data']);
      if (!hasCover) return invalid('A cover image is required for video Pins.');
      return { files: [video], coverSecond: typeof second === 'number' ? second : null };
    }
    default:
      return invalid('Invalid media_source: source_type is not one of those that are taken.');
  }
}

function readImages(items: readonly Readonly<Record<string, unknown>>[]) {
  const files: PinnedFile[] = [];
  for (const { content_type: contentType, data } of items) {
    const type = textOf(contentType);
    if (!MAGIC_BYTES[type] || !/^[a-zA-Z0-9+/]+={0,2}$/.test(textOf(data)))
      return invalid('Invalid base64 image.');
    const bytes = Buffer.from(textOf(data), 'base64');
    if (bytes.length > IMAGE_BYTES_MAX) return invalid('The image is too large.');
    if (!MAGIC_BYTES[type].every((byte, at) => bytes[at] === byte))
      return invalid('The image cannot be read.');
    files.push({ type, sha256: sha256Of(bytes) });
  }
  return { files, coverSecond: null };
}
