import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/platform-kit';
import { mapFailureAfterSend } from '@switchboard/platform-kit/map-failure-after-send';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { UploadProgress } from '@switchboard/platform-kit/publishing-upload';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { manifest } from './manifest.js';
import { getPostStatus, type PostStatus } from './post-status.js';

/**
 * TikTok accepts chunks of 5 to 64 MB, the last one up to 128 MB; a file smaller than two of our chunks is
 * sent as one.
 */
const CHUNK_BYTES = 10_000_000;

export function chunksOf(bytes: number): { readonly size: number; readonly count: number } {
  const count = Math.floor(bytes / CHUNK_BYTES);
  return count < 2 ? { size: bytes, count: 1 } : { size: CHUNK_BYTES, count };
}

/** The chunk with the first missing byte: deterministic, so that a later attempt resumes an earlier one. */
export function chunkAt(bytes: number, received: number): { readonly start: number; readonly end: number } {
  const { size, count } = chunksOf(bytes);
  const at = Math.min(Math.floor(received / size), count - 1);
  return { start: at * size, end: at === count - 1 ? bytes : (at + 1) * size };
}

/** The receipt marker that the next request may publish the post. */
export const SENT_RECEIPT = { sent: 'yes' };

/** If TikTok does not report it, a video that may be complete is not sent again. */
export const uploadedBytesOf = (
  { bytes }: Extract<PostStatus, { state: 'under_way' }>,
  receipt: PublishItem['receipt'],
): number => bytes ?? (receipt['sent'] === undefined ? 0 : Infinity);

/** Sends one chunk of a video: TikTok posts it after the last one. */
export async function sendChunk(
  session: Session,
  video: PublishMedia,
  { publish_id: publishId = '', upload_url: path = '' }: PublishItem['receipt'],
  { start, end }: ReturnType<typeof chunkAt>,
): AdapterResult<UploadProgress<never> | 'failed'> {
  const isLast = end === video.bytes;
  const length = end - start;
  const sent = await session.request({
    method: 'PUT',
    path,
    omitsCredential: true,
    headers: { 'Content-Range': `bytes ${start}-${end - 1}/${video.bytes}` },
    body: { type: video.type, length, stream: () => video.read({ start, end: end - 1 }) },
    effect: isLast ? 'write' : 'idempotent',
    deadlineSeconds: uploadTimeoutSeconds(length),
  });
  if (!sent.ok) return sent;
  if (sent.value.ok) return ok({ received: end });
  // A chunk is refused also because the whole video was received; the post is then polled as any other.
  const seen = await getPostStatus(session, publishId);
  if (!seen.ok) return isLast ? mapFailureAfterSend(manifest, seen) : seen;
  const isComplete =
    seen.value?.state === 'under_way' ? (seen.value.bytes ?? 0) >= video.bytes : seen.value !== null;
  return isComplete ? ok({ received: video.bytes }) : chunkRefused(sent.value.status);
}

function chunkRefused(status: number) {
  if (status === 400) {
    const platform = quotePlatform(manifest.name, 'Bad Request', '400');
    return refuse('platform.refused', 'TikTok refused a chunk of the video.', { platform });
  }
  // Its URL is valid for an hour. An upload that is incomplete by then never becomes a post.
  if (status === 403 || status === 404) return ok('failed' as const);
  return refuse('platform.unavailable', 'TikTok does not accept more chunks right now.');
}
