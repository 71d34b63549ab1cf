import {
  ok,
  refuse,
  type PlatformResponse,
  type PlatformRequest,
  type PublishItem,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/domain';
import { mapFailureAfterSend } from '../kit/map-failure-after-send.js';
import { refusal, unreadableResponse, type AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { videoMetadataOf } from './metadata.js';
import { optionsOf } from './rules.js';
import { requestResponse, errorMapping, video, type Video } from './wire.js';

/** A multiple of 256 KiB, which all chunks but the last must have. */
const PIECE_BYTES = 16 * 1024 * 1024;
const PIECE_SECONDS = 180;

/** The state of an upload: complete, or the number of bytes received; null if its URL is no longer valid. */
export type UploadProgress = { readonly video: Video } | { readonly arrived: number } | null;

/** An upload, as an attempt stored it. */
export interface VideoUpload {
  readonly url: string;
  /** The length of its file. */
  readonly bytes: number;
  /** Whether the final chunk may have been sent: from then on it may be a video at any moment. */
  readonly isLastPieceSent: boolean;
}

export function uploadOf({ receipt }: Pick<PublishItem, 'receipt'>): VideoUpload | null {
  const { upload, bytes, ended } = receipt;
  return upload === undefined
    ? null
    : { url: upload, bytes: Number(bytes), isLastPieceSent: ended !== undefined };
}

/** Uploads the file from where an earlier attempt ended. With its last byte it is a video of the channel. */
export async function uploadVideo(
  session: Session,
  item: PublishItem,
  videoFile: PublishMedia,
  saveReceipt: SaveReceipt,
): AdapterResult<Video> {
  const known = uploadOf(item);
  const before = known ? await progressOf(session, known) : ok(null);
  if (!before.ok) {
    return known?.isLastPieceSent
      ? mapFailureAfterSend(errorMapping, before)
      : mapFailureBeforeSend(errorMapping, before, 'how much of the video it has.');
  }
  let progress = before.value;
  let address = known?.url ?? '';
  if (!progress) {
    if (known?.isLastPieceSent) return outcomeUnknown('YouTube no longer reports the state of the upload.');
    const started = await startUpload(session, item, videoFile);
    if (!started.ok) return started;
    address = started.value;
    progress = { arrived: 0 };
    await saveReceipt({ upload: address, bytes: String(videoFile.bytes) });
  }
  while ('arrived' in progress) {
    const { arrived }: { readonly arrived: number } = progress;
    if (arrived >= videoFile.bytes)
      return outcomeUnknown('YouTube received the file but has not created the video yet.');
    const isLast = arrived + PIECE_BYTES >= videoFile.bytes;
    if (isLast) await saveReceipt({ upload: address, bytes: String(videoFile.bytes), ended: 'yes' });
    const sent = await sendPiece(session, address, videoFile, arrived);
    if (!sent.ok)
      return isLast ? sent : mapFailureBeforeSend(errorMapping, sent, 'how much of the video it has.');
    if (!sent.value) return retryLater('YouTube no longer knows the upload.');
    if ('arrived' in sent.value && sent.value.arrived <= arrived)
      return retryLater('YouTube stored no bytes of the last chunk.');
    progress = sent.value;
  }
  return ok(progress.video);
}

/** An upload URL without received bytes has no effect: it may be created again. */
async function startUpload(
  session: Session,
  item: PublishItem,
  videoFile: PublishMedia,
): AdapterResult<string> {
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
  const address = started.ok ? started.value.headers['location'] : undefined;
  if (address !== undefined) return ok(address);
  return mapFailureBeforeSend(
    errorMapping,
    started.ok ? unreadableResponse(errorMapping, 'read') : started,
    'where to upload the video.',
  );
}

/** Only the last chunk has a visible effect. */
function sendPiece(session: Session, address: string, videoFile: PublishMedia, start: number) {
  const end = Math.min(start + PIECE_BYTES, videoFile.bytes) - 1;
  return sendUploadRequest(session, {
    method: 'PUT',
    path: address,
    headers: { 'content-range': `bytes ${start}-${end}/${videoFile.bytes}` },
    body: { type: videoFile.type, length: end - start + 1, stream: () => videoFile.read({ start, end }) },
    effect: end === videoFile.bytes - 1 ? 'write' : 'idempotent',
    deadlineSeconds: PIECE_SECONDS,
  });
}

/** Reads the state of an upload. */
export const progressOf = (session: Session, { url, bytes }: VideoUpload): AdapterResult<UploadProgress> =>
  sendUploadRequest(session, {
    method: 'PUT',
    path: url,
    headers: { 'content-range': `bytes */${bytes}` },
    effect: 'read',
  });

async function sendUploadRequest(session: Session, request: PlatformRequest): AdapterResult<UploadProgress> {
  const outcome = await session.request(request);
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  if (response.status === 308) return ok({ arrived: receivedBytesOf(response) });
  if (response.status === 404 || response.status === 410) return ok(null);
  if (!response.ok) return refusal(errorMapping, response, request.effect);
  const created = video.safeParse(response.json);
  return created.success ? ok({ video: created.data }) : unreadableResponse(errorMapping, request.effect);
}

/**
 * YouTube's response determines the offset, not what was sent: it may have stored less. Without a range
 * nothing has arrived.
 */
function receivedBytesOf({ headers }: PlatformResponse): number {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
}

const retryLater = (message: string) => refuse('platform.unavailable', message, { retryAfterSeconds: 60 });
const outcomeUnknown = (message: string) => refuse('platform.outcome_unknown', message);
