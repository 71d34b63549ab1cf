import {
  ok,
  quotePlatform,
  refuse,
  type PlatformRequest,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/domain';
import { ask as askAny, type Answer, type Dialect } from '../kit/answers.js';
import { graphErrorIn } from '../kit/graph.js';
import { multipart } from '../kit/multipart.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { begun, begunReel, done, nextPiece, sendingRefusal } from './wire.js';

const PIECE_SECONDS = 120;
/** Twice as many as the largest film has of a mebibyte. */
const PIECES_MAX = 2_048;
const FILM = 'film';
const UPLOAD = 'upload';
const FINISHED = 'finished';

/** A film that was sent whole, and that nobody sees before it is finished. */
export interface Upload {
  /** The film's. */
  readonly id: string;
  /** Of what `/videos` was sent; null of a reel, which is known by its id alone. */
  readonly session: string | null;
  /** Facebook has taken it, as far as we know: it comes out, whatever its status says by now. */
  readonly isFinished: boolean;
}

/** What an attempt sent whole, and perhaps published. */
export function uploadIn({ receipt }: Pick<PublishItem, 'receipt'>): Upload | null {
  const id = receipt[FILM];
  if (!id) return null;
  return { id, session: receipt[UPLOAD] ?? null, isFinished: receipt[FINISHED] !== undefined };
}

export const receiptOf = ({ id, session, isFinished }: Upload): PublishItem['receipt'] => ({
  [FILM]: id,
  ...(session !== null && { [UPLOAD]: session }),
  ...(isFinished && { [FINISHED]: 'yes' }),
});

/** The one request that publishes a film. */
export function finishing(
  { account }: Session,
  { id, session }: Upload,
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
export async function sendFilm(session: Session, medium: PublishMedia): Answer<Upload> {
  const path = videosOf(session.account);
  const start = { upload_phase: 'start', file_size: String(medium.bytes) };
  const opened = await ask(session, { method: 'POST', path, form: start, effect: 'idempotent' }, begun);
  if (!opened.ok) return opened;
  const { video_id: id, upload_session_id: upload } = opened.value;
  let { start_offset: from, end_offset: to } = opened.value;
  for (let pieces = 0; from < to; pieces++) {
    if (pieces === PIECES_MAX) return lostCount();
    const piece = pieceOf(medium, from, Math.min(to, medium.bytes));
    const sent = await ask(
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
      nextPiece,
    );
    if (!sent.ok) return sent;
    // Never the same again.
    if (sent.value.start_offset <= from) return lostCount();
    ({ start_offset: from, end_offset: to } = sent.value);
  }
  return from === medium.bytes ? ok({ id, session: upload, isFinished: false }) : lostCount();
}

const pieceOf = (medium: PublishMedia, from: number, to: number) => ({
  ...medium,
  name: 'video_file_chunk',
  bytes: to - from,
  read: () => medium.read({ start: from, end: to - 1 }),
});

const lostCount = () =>
  refuse('platform.unavailable', 'Facebook lost count of the pieces of this film. It is sent anew.');

/** At once: what is interrupted is begun anew, and never longer than a minute and a half of film. */
export async function sendReel(session: Session, medium: PublishMedia): Answer<Upload> {
  const start = { upload_phase: 'start' };
  const opened = await ask(
    session,
    { method: 'POST', path: reelsOf(session.account), form: start, effect: 'idempotent' },
    begunReel,
  );
  if (!opened.ok) return opened;
  const { video_id: id, upload_url: path } = opened.value;
  const sent = await askAny(
    session,
    sending,
    {
      method: 'POST',
      path,
      effect: 'idempotent',
      tokenScheme: 'OAuth',
      headers: { offset: '0', file_size: String(medium.bytes) },
      body: { type: 'application/octet-stream', length: medium.bytes, stream: () => medium.read() },
      deadlineSeconds: uploadSeconds(medium.bytes),
    },
    done,
    ({ code = '', message }, { json }) => {
      const isRetriable = sendingRefusal.safeParse(json).data?.debug_info.retriable === true;
      if (!isRetriable && !SENT_AGAIN.includes(code)) return undefined;
      const platform = quotePlatform(manifest.name, message, code);
      return refuse('platform.unavailable', 'Facebook could not take this film. It is sent anew.', {
        platform,
      });
    },
  );
  return sent.ok ? ok({ id, session: null, isFinished: false }) : sent;
}

/** Of these the documentation says to send the file again. */
const SENT_AGAIN = ['OffsetInvalidError', 'PartialRequestError', 'ProcessingFailedError'];

/** What takes the bytes says no in words of its own. */
const sending: Dialect = {
  name: manifest.name,
  words(answer) {
    const said = sendingRefusal.safeParse(answer.json).data?.debug_info;
    if (said) return { code: said.type, message: said.message };
    const error = graphErrorIn(answer);
    return error && { code: String(error.code), message: error.message };
  },
  meaning: () => 'platform.refused',
};
