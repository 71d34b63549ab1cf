import {
  ok,
  quotePlatform,
  refuse,
  type PlatformRequest,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/platform-kit';
import {
  requestJson as askAny,
  type AdapterResult,
  type ErrorMapping,
} from '@switchboard/platform-kit/platform-client';
import { parseGraphError } from '../graph/graph.js';
import { multipart } from '@switchboard/platform-kit/multipart';
import type { UploadedFile } from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { requestJson } from './client.js';
import { manifest } from './manifest.js';
import { startedUpload, startedReel, done, nextChunk, sendingRefusal } from './wire.js';

/** Twice the number of mebibytes in the largest video. */
const PIECES_MAX = 2_048;
/** The name in stored receipts. */
export const VIDEO_KEY = 'film';
const SESSION_KEY = 'upload';
const FINISHED_KEY = 'finished';
/** The receipt entry of an accepted publish request. */
export const FINISHED = { [FINISHED_KEY]: 'yes' };

/** A completely uploaded video, which is not public before it is finished. */
export interface VideoUpload {
  readonly id: string;
  /** The upload session of `/videos`; null for a reel, which has only its ID. */
  readonly session: string | null;
  /**
   * Facebook has accepted the publish request: the video will be published, regardless of its current status.
   */
  readonly isFinished: boolean;
}

/** What an attempt uploaded completely, and perhaps published. Without an ID: nothing. */
export const parseUpload = (receipt: PublishItem['receipt']): VideoUpload => ({
  id: receipt[VIDEO_KEY] ?? '',
  session: receipt[SESSION_KEY] || null,
  isFinished: Boolean(receipt[FINISHED_KEY]),
});

const uploadedFile = (id: string, session = ''): UploadedFile => ({
  id,
  state: 'ready',
  entries: { [SESSION_KEY]: session, [FINISHED_KEY]: '' },
});

/** The one request that publishes a video. */
export function finishRequest(
  { account }: Session,
  { id, session }: VideoUpload,
  description: string,
): PlatformRequest {
  const finish = { upload_phase: 'finish', description };
  const [path, form] =
    session === null
      ? [reelsOf(account), { ...finish, video_id: id, video_state: 'PUBLISHED' }]
      : [videosOf(account), { ...finish, upload_session_id: session }];
  return { method: 'POST', path, form, effect: 'write' };
}

const videosOf = ({ id }: Session['account']) => `/${encodeURIComponent(id)}/videos`;
const reelsOf = ({ id }: Session['account']) => `/${encodeURIComponent(id)}/video_reels`;

/** In chunks of the size that Facebook requests; the first response contains the video's ID. */
export async function uploadVideo(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const path = videosOf(session.account);
  const start = { upload_phase: 'start', file_size: String(medium.bytes) };
  const opened = await requestJson(
    session,
    { method: 'POST', path, form: start, effect: 'idempotent' },
    startedUpload,
  );
  if (!opened.ok) return opened;
  const { video_id: id, upload_session_id: upload } = opened.value;
  let { start_offset: from, end_offset: to } = opened.value;
  for (let pieces = 0; from < to; pieces++) {
    if (pieces === PIECES_MAX) return offsetMismatch();
    const piece = pieceOf(medium, from, Math.min(to, medium.bytes));
    const sent = await requestJson(
      session,
      {
        method: 'POST',
        path,
        effect: 'idempotent',
        deadlineSeconds: uploadTimeoutSeconds(piece.bytes),
        body: multipart(
          { upload_phase: 'transfer', upload_session_id: upload, start_offset: String(from) },
          piece,
        ),
      },
      nextChunk,
    );
    if (!sent.ok) return sent;
    // The offset must advance.
    if (sent.value.start_offset <= from) return offsetMismatch();
    ({ start_offset: from, end_offset: to } = sent.value);
  }
  return from === medium.bytes ? ok(uploadedFile(id, upload)) : offsetMismatch();
}

const pieceOf = (medium: PublishMedia, from: number, to: number) => ({
  ...medium,
  name: 'video_file_chunk',
  bytes: to - from,
  read: () => medium.read({ start: from, end: to - 1 }),
});

const offsetMismatch = () =>
  refuse('platform.unavailable', 'Facebook reported an unexpected upload offset. The upload restarts.');

/** In one request: an interrupted upload starts anew, and a reel lasts at most a minute and a half. */
export async function uploadReel(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const start = { upload_phase: 'start' };
  const opened = await requestJson(
    session,
    { method: 'POST', path: reelsOf(session.account), form: start, effect: 'idempotent' },
    startedReel,
  );
  if (!opened.ok) return opened;
  const { video_id: id, upload_url: path } = opened.value;
  const sent = await askAny(
    session,
    uploadErrorMapping,
    {
      method: 'POST',
      path,
      effect: 'idempotent',
      tokenScheme: 'OAuth',
      headers: { offset: '0', file_size: String(medium.bytes) },
      body: { type: 'application/octet-stream', length: medium.bytes, stream: () => medium.read() },
      deadlineSeconds: uploadTimeoutSeconds(medium.bytes),
    },
    done,
    ({ code = '', message }, { json }) => {
      const isRetriable = sendingRefusal.safeParse(json).data?.debug_info.retriable === true;
      if (!isRetriable && !RETRIABLE_CODES.includes(code)) return undefined;
      const platform = quotePlatform(manifest.name, message, code);
      return refuse('platform.unavailable', 'Facebook did not accept the video. The upload restarts.', {
        platform,
      });
    },
  );
  return sent.ok ? ok(uploadedFile(id)) : sent;
}

/** For these the documentation requires a new upload. */
const RETRIABLE_CODES = ['OffsetInvalidError', 'PartialRequestError', 'ProcessingFailedError'];

/** The upload host has its own error format. */
const uploadErrorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = sendingRefusal.safeParse(response.json).data?.debug_info;
    if (parsed) return { code: parsed.type, message: parsed.message };
    const error = parseGraphError(response);
    return error && { code: String(error.code), message: error.message };
  },
  classify: () => 'platform.refused',
};
