import {
  ok,
  refuse,
  type PlatformResponse,
  type PlatformRequest,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/platform-kit';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import { refusal, unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { resumePublishingUpload, type UploadProgress } from '@switchboard/platform-kit/publishing-upload';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { videoMetadataOf } from './metadata.js';
import { optionsOf } from './rules.js';
import { requestResponse, errorMapping, video, type Video } from './wire.js';

/** A multiple of 256 KiB, which all chunks but the last must have. */
const PIECE_BYTES = 16 * 1024 * 1024;
/** The receipt key of the fact that the final chunk may have been sent. */
const ENDED = 'ended';

/** An upload, as an attempt stored it. */
interface VideoUpload {
  readonly url: string;
  /** The length of its file. */
  readonly bytes: number;
  /** Whether the final chunk may have been sent: from then on it may be a video at any moment. */
  readonly isLastPieceSent: boolean;
}

export function uploadOf({ upload, bytes, [ENDED]: ended }: PublishItem['receipt']): VideoUpload | null {
  return upload === undefined
    ? null
    : { url: upload, bytes: Number(bytes), isLastPieceSent: ended !== undefined };
}

/** Uploads the file from where an earlier attempt ended. With its last byte it is a video of the channel. */
export async function uploadVideo(
  session: Session,
  item: PublishItem,
  videoFile: PublishMedia,
  receipt: PartReceipt,
): AdapterResult<Video> {
  const { bytes } = videoFile;
  const stored = () => uploadOf(receipt.entries) ?? { url: '', bytes };
  const uploaded = await resumePublishingUpload(receipt, {
    name: errorMapping.name,
    bytes,
    startedKey: 'upload',
    lastChunkKey: ENDED,
    start: () => startUpload(session, item, videoFile),
    readProgress: () => progressOf(session, stored()),
    chunkAt: (start) => ({ start, end: Math.min(start + PIECE_BYTES, bytes) }),
    send: (start, end) => sendPiece(session, stored().url, videoFile, start, end),
  });
  if (!uploaded.ok) return uploaded;
  return uploaded.value
    ? ok(uploaded.value.post)
    : refuse('platform.outcome_unknown', 'YouTube received the file but has not created the video yet.');
}

/** An upload URL without received bytes has no effect: it may be created again. */
async function startUpload(
  session: Session,
  item: PublishItem,
  videoFile: PublishMedia,
): AdapterResult<PublishItem['receipt']> {
  const started = await requestResponse(session, {
    method: 'POST',
    path: '/upload/youtube/v3/videos',
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      notifySubscribers: optionsOf(item).notify_subscribers,
    },
    headers: { 'x-upload-content-length': String(videoFile.bytes), 'x-upload-content-type': videoFile.type },
    json: videoMetadataOf(item),
    effect: 'idempotent',
  });
  if (!started.ok) return started;
  const { location: upload } = started.value.headers;
  return upload === undefined
    ? unreadableResponse(errorMapping, 'idempotent')
    : ok({ upload, bytes: String(videoFile.bytes) });
}

/** Only the last chunk has a visible effect. */
function sendPiece(session: Session, address: string, videoFile: PublishMedia, start: number, end: number) {
  return sendUploadRequest(session, {
    method: 'PUT',
    path: address,
    headers: { 'content-range': `bytes ${start}-${end - 1}/${videoFile.bytes}` },
    body: {
      type: videoFile.type,
      length: end - start,
      stream: () => videoFile.read({ start, end: end - 1 }),
    },
    effect: end === videoFile.bytes ? 'write' : 'idempotent',
    deadlineSeconds: uploadTimeoutSeconds(end - start),
  });
}

export const progressOf = (session: Session, { url, bytes }: Pick<VideoUpload, 'url' | 'bytes'>) =>
  sendUploadRequest(session, {
    method: 'PUT',
    path: url,
    headers: { 'content-range': `bytes */${bytes}` },
    effect: 'read',
  });

async function sendUploadRequest(
  session: Session,
  request: PlatformRequest,
): AdapterResult<UploadProgress<Video>> {
  const outcome = await session.request(request);
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  if (response.status === 308) return ok({ received: receivedBytesOf(response) });
  if (response.status === 404 || response.status === 410) return ok(null);
  if (!response.ok) return refusal(errorMapping, response, request.effect);
  const created = video.safeParse(response.json);
  return created.success ? ok({ post: created.data }) : unreadableResponse(errorMapping, request.effect);
}

/**
 * YouTube's response determines the offset, not what was sent: it may have stored less. Without a range
 * nothing has arrived.
 */
function receivedBytesOf({ headers }: PlatformResponse): number {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
}
