import {
  ok,
  quotePlatform,
  refuse,
  type PlatformRequest,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/domain';
import { requestJson as askAny, type AdapterResult, type ErrorMapping } from '../kit/platform-client.js';
import { parseGraphError } from '../kit/graph.js';
import { multipart } from '../kit/multipart.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { requestJson } from './client.js';
import { manifest } from './manifest.js';
import { startedUpload, startedReel, done, nextChunk, sendingRefusal } from './wire.js';

const PIECE_SECONDS = 120;
/** Twice as many as the largest film has of a mebibyte. */
const PIECES_MAX = 2_048;
const VIDEO_KEY = 'film';
const SESSION_KEY = 'upload';
const FINISHED_KEY = 'finished';

/** A film that was sent whole, and that nobody sees before it is finished. */
export interface VideoUpload {
  /** The film's. */
  readonly id: string;
  /** Of what `/videos` was sent; null of a reel, which is known by its id alone. */
  readonly session: string | null;
  /** Facebook has taken it, as far as we know: it comes out, whatever its status says by now. */
  readonly isFinished: boolean;
}

/** What an attempt sent whole, and perhaps published. */
export function parseUpload({ receipt }: Pick<PublishItem, 'receipt'>): VideoUpload | null {
  const id = receipt[VIDEO_KEY];
  if (!id) return null;
  return { id, session: receipt[SESSION_KEY] ?? null, isFinished: receipt[FINISHED_KEY] !== undefined };
}

export const receiptOf = ({ id, session, isFinished }: VideoUpload): PublishItem['receipt'] => ({
  [VIDEO_KEY]: id,
  ...(session !== null && { [SESSION_KEY]: session }),
  ...(isFinished && { [FINISHED_KEY]: 'yes' }),
});

/** The one request that publishes a film. */
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

/** In pieces as long as Facebook says; the film's id comes with the first answer. */
export async function uploadVideo(session: Session, medium: PublishMedia): AdapterResult<VideoUpload> {
  const path = videosOf(session.account);
  const start = { upload_phase: 'start', file_size: String(medium.bytes) };
  const opened = await requestJson(session, { method: 'POST', path, form: start, effect: 'idempotent' }, startedUpload);
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
        deadlineSeconds: PIECE_SECONDS,
        body: multipart(
          { upload_phase: 'transfer', upload_session_id: upload, start_offset: String(from) },
          piece,
        ),
      },
      nextChunk,
    );
    if (!sent.ok) return sent;
    // Never the same again.
    if (sent.value.start_offset <= from) return offsetMismatch();
    ({ start_offset: from, end_offset: to } = sent.value);
  }
  return from === medium.bytes ? ok({ id, session: upload, isFinished: false }) : offsetMismatch();
}

const pieceOf = (medium: PublishMedia, from: number, to: number) => ({
  ...medium,
  name: 'video_file_chunk',
  bytes: to - from,
  read: () => medium.read({ start: from, end: to - 1 }),
});

const offsetMismatch = () =>
  refuse('platform.unavailable', 'Facebook lost count of the pieces of this film. It is sent anew.');

/** At once: what is interrupted is begun anew, and never longer than a minute and a half of film. */
export async function uploadReel(session: Session, medium: PublishMedia): AdapterResult<VideoUpload> {
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
      return refuse('platform.unavailable', 'Facebook could not take this film. It is sent anew.', {
        platform,
      });
    },
  );
  return sent.ok ? ok({ id, session: null, isFinished: false }) : sent;
}

/** Of these the documentation says to send the file again. */
const RETRIABLE_CODES = ['OffsetInvalidError', 'PartialRequestError', 'ProcessingFailedError'];

/** What takes the bytes says no in words of its own. */
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
