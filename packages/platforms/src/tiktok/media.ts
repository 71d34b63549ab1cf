import {
  ok,
  quotePlatform,
  refuse,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { manifest } from './manifest.js';
import { toOutcomeUnknown, getPostStatus } from './post-status.js';

/**
 * TikTok accepts chunks of 5 to 64 MB, the last one up to 128 MB; a file smaller than two of our chunks is
 * sent as one.
 */
const CHUNK_BYTES = 10_000_000;

/** How a video is split: deterministic, so that a later attempt resumes where an earlier one ended. */
export function chunksOf(bytes: number): { readonly size: number; readonly count: number } {
  const count = Math.floor(bytes / CHUNK_BYTES);
  return count < 2 ? { size: bytes, count: 1 } : { size: CHUNK_BYTES, count };
}

/** A started post: the upload URL for the rest of its video, and how much was received. */
export interface StartedPost {
  readonly publishId: string;
  readonly url: string;
  readonly from: number;
}

export const receiptOf = ({ publishId, url }: StartedPost, bytes: number) => ({
  publish_id: publishId,
  upload_url: url,
  bytes: String(bytes),
});

/** The receipt marker that the next request may publish the post. */
export const SENT_RECEIPT = { sent: 'yes' };

/** Sends the missing chunks of a video: TikTok posts it after the last one. */
export async function uploadVideo(
  session: Session,
  video: PublishMedia,
  started: StartedPost,
  saveReceipt: SaveReceipt,
): AdapterResult<undefined> {
  const { size, count } = chunksOf(video.bytes);
  for (let at = Math.floor(started.from / size); at < count; at++) {
    const isLast = at === count - 1;
    const start = at * size;
    const end = isLast ? video.bytes - 1 : start + size - 1;
    const length = end - start + 1;
    if (isLast) await saveReceipt({ ...receiptOf(started, video.bytes), ...SENT_RECEIPT });
    const sent = await session.request({
      method: 'PUT',
      path: started.url,
      omitsCredential: true,
      headers: { 'Content-Range': `bytes ${start}-${end}/${video.bytes}` },
      body: { type: video.type, length, stream: () => video.read({ start, end }) },
      effect: isLast ? 'write' : 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(length),
    });
    if (!sent.ok) return sent;
    if (sent.value.ok) continue;
    const there = await isFullyUploaded(session, video, started);
    if (!there.ok)
      return isLast
        ? toOutcomeUnknown(there)
        : mapFailureBeforeSend(manifest, there, 'how much of the video was received.');
    return there.value ? ok() : chunkRefused(sent.value.status, saveReceipt);
  }
  return ok();
}

/** Whether a chunk is refused because the whole video was received; the post is then polled as any other. */
async function isFullyUploaded(
  session: Session,
  video: PublishMedia,
  { publishId }: StartedPost,
): AdapterResult<boolean> {
  const seen = await getPostStatus(session, publishId);
  if (!seen.ok) return seen;
  return ok(seen.value?.state === 'under_way' ? (seen.value.bytes ?? 0) >= video.bytes : seen.value !== null);
}

async function chunkRefused(status: number, saveReceipt: SaveReceipt): AdapterResult<undefined> {
  if (status === 400) {
    const platform = quotePlatform(manifest.name, 'Bad Request', '400');
    return refuse('platform.refused', 'TikTok refused a chunk of the video.', { platform });
  }
  // Its URL is valid for an hour. An upload that is incomplete by then never becomes a post.
  if (status === 403 || status === 404) await saveReceipt({});
  return refuse('platform.unavailable', 'TikTok does not accept more chunks right now.');
}
