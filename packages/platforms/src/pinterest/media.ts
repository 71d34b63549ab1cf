import {
  ok,
  type PublishItem,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/platform-kit';
import { nullIfNotFound, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { openReceipt, type PartReceipt } from '@switchboard/platform-kit/part-receipt';
import { jsonWithImages, type JsonBody } from './json-with-images.js';
import { ALT_TEXT_MAX } from './manifest.js';
import { coverSecondOf } from './rules.js';
import type { z } from 'zod';
import {
  resumeUploads,
  type UploadedFile,
  type UploadState,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadToPresignedUrl } from '@switchboard/platform-kit/upload-to-presigned-url';
import { requestJson, errorMapping, mediaUpload, registered } from './wire.js';

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

/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the ID.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(12).fill(5_000)];

export async function uploadVideo(
  session: Session,
  medium: PublishMedia,
  receipt: PartReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<string> {
  const ids = await resumeUploads(
    session,
    receipt,
    { name: errorMapping.name, delaysMs, look: (id) => getUploadState(session, id) },
    [{ key: 'media_id', upload: () => registerAndUpload(session, medium) }],
  );
  return ids.ok ? ok(ids.value[0] ?? '') : ids;
}

async function registerAndUpload(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const place = await requestJson(
    session,
    { method: 'POST', path: '/v5/media', json: { media_type: 'video' }, effect: 'idempotent' },
    registered,
  );
  if (!place.ok) return place;
  const { media_id: id, upload_url: path, upload_parameters: parameters } = place.value;
  const file = { ...medium, name: 'file' };
  const sent = await uploadToPresignedUrl(session, {
    name: errorMapping.name,
    path,
    fields: parameters,
    file,
  });
  return sent.ok ? ok({ id, state: 'processing' }) : sent;
}

/** Null: the ID does not exist, or no longer. */
async function getUploadState(session: Session, id: string): AdapterResult<UploadState | null> {
  const path = `/v5/media/${encodeURIComponent(id)}`;
  const seen = await requestJson(session, path, mediaUpload, nullIfNotFound);
  return seen.ok ? ok(seen.value && STATES[seen.value.status]) : seen;
}

const STATES: Readonly<Record<z.infer<typeof mediaUpload>['status'], UploadState>> = {
  registered: 'unregistered',
  processing: 'processing',
  succeeded: 'ready',
  failed: 'failed',
};
