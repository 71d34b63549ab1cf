import { ok } from '@switchboard/domain';
import type { PublishItem, PublishMedia, SaveReceipt, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { openReceipt } from '../kit/part-receipt.js';
import { uploadVideo } from './video.js';
import { jsonWithImages, type JsonBody } from './json-with-images.js';
import { ALT_TEXT_MAX } from './manifest.js';
import { coverSecondOf } from './rules.js';

/** The media of a pin: images are embedded in the request, a video is uploaded before. */
export async function pinWithMedia(
  session: Session,
  item: PublishItem,
  fields: object,
  saveReceipt: SaveReceipt,
): AdapterResult<JsonBody> {
  const [first] = item.media;
  const words = altTextOf(item.media);
  const about = { ...fields, ...(words !== '' && { alt_text: words }) };
  if (first?.kind !== 'video') return ok(imagePin(about, item.media));
  const video = await uploadVideo(session, first, openReceipt(item, saveReceipt));
  if (!video.ok) return video;
  const source = {
    source_type: 'video_id',
    media_id: video.value,
    cover_image_key_frame_time: coverSecondOf(item),
  };
  return ok(jsonWithImages([], () => ({ ...about, media_source: source })));
}

const imagePin = (about: object, images: readonly PublishMedia[]): JsonBody =>
  jsonWithImages(images, (places) => {
    const items = places.map(({ image, data }) => ({ content_type: image.type, data }));
    const [only] = items;
    const source =
      items.length === 1
        ? { source_type: 'image_base64', ...only }
        : { source_type: 'multiple_image_base64', items };
    return { ...about, media_source: source };
  });

/**
 * A pin has a single alternative text: those of several images are joined by line breaks, as far as they fit.
 */
function altTextOf(media: readonly PublishMedia[]): string {
  const all = media.flatMap(({ altText }) => altText ?? []).join('\n');
  return [...all].slice(0, ALT_TEXT_MAX).join('');
}
