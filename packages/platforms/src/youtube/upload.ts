import {
  ok,
  refuse,
  type PlatformAnswer,
  type PlatformRequest,
  type PublishItem,
  type PublishMedia,
  type Remember,
  type Session,
} from '@switchboard/domain';
import { afterSending } from '../kit/after-sending.js';
import { refusal, unreadable, type Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { metadataOf } from './metadata.js';
import { optionsOf } from './rules.js';
import { askAnswer, dialect, video, type Video } from './wire.js';

/** A multiple of 256 KiB, as all pieces but the last must be. */
const PIECE_BYTES = 16 * 1024 * 1024;
const PIECE_SECONDS = 180;

/** How far an upload is: done, or how many bytes have arrived; null where its address is not good any more. */
export type Progress = { readonly video: Video } | { readonly arrived: number } | null;

/** An upload, as an attempt remembered it. */
export interface Upload {
  readonly address: string;
  /** The length of its film. */
  readonly bytes: number;
  /** Whether the piece that ends the film may have been sent: from then on it may be a video any moment. */
  readonly isEnded: boolean;
}

export function uploadOf({ receipt }: Pick<PublishItem, 'receipt'>): Upload | null {
  const { upload, bytes, ended } = receipt;
  return upload === undefined
    ? null
    : { address: upload, bytes: Number(bytes), isEnded: ended !== undefined };
}

/** Brings the film there, from where an earlier attempt got to. It is a video of the channel with its last byte. */
export async function uploadFilm(
  session: Session,
  item: PublishItem,
  film: PublishMedia,
  remember: Remember,
): Answer<Video> {
  const known = uploadOf(item);
  const before = known ? await progressOf(session, known) : ok(null);
  if (!before.ok) {
    return known?.isEnded
      ? afterSending(dialect, before)
      : beforeSending(dialect, before, 'how much of the film it has.');
  }
  let progress = before.value;
  let address = known?.address ?? '';
  if (!progress) {
    if (known?.isEnded) return inDoubt('YouTube does not say any more what became of the upload.');
    const begun = await begin(session, item, film);
    if (!begun.ok) return begun;
    address = begun.value;
    progress = { arrived: 0 };
    await remember({ upload: address, bytes: String(film.bytes) });
  }
  while ('arrived' in progress) {
    const { arrived }: { readonly arrived: number } = progress;
    if (arrived >= film.bytes) return inDoubt('YouTube has the film, and has not made a video of it yet.');
    const isLast = arrived + PIECE_BYTES >= film.bytes;
    if (isLast) await remember({ upload: address, bytes: String(film.bytes), ended: 'yes' });
    const sent = await sendPiece(session, address, film, arrived);
    if (!sent.ok) return isLast ? sent : beforeSending(dialect, sent, 'how much of the film it has.');
    if (!sent.value) return later('YouTube does not know the upload any more.');
    if ('arrived' in sent.value && sent.value.arrived <= arrived)
      return later('YouTube took nothing of the film.');
    progress = sent.value;
  }
  return ok(progress.video);
}

/** An address at which nothing arrives is nothing: it may be made again. */
async function begin(session: Session, item: PublishItem, film: PublishMedia): Answer<string> {
  const begun = await askAnswer(session, {
    method: 'POST',
    path: '/upload/youtube/v3/videos',
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      notifySubscribers: optionsOf(item).notify_subscribers,
    },
    headers: { 'x-upload-content-length': String(film.bytes), 'x-upload-content-type': film.type },
    json: metadataOf(item),
    effect: 'idempotent',
  });
  const address = begun.ok ? begun.value.headers['location'] : undefined;
  if (address !== undefined) return ok(address);
  return beforeSending(
    dialect,
    begun.ok ? unreadable(dialect, 'read') : begun,
    'where the film may be sent.',
  );
}

/** Only with the last piece something happens that others see. */
function sendPiece(session: Session, address: string, film: PublishMedia, start: number) {
  const end = Math.min(start + PIECE_BYTES, film.bytes) - 1;
  return put(session, {
    method: 'PUT',
    path: address,
    headers: { 'content-range': `bytes ${start}-${end}/${film.bytes}` },
    body: { type: film.type, length: end - start + 1, stream: () => film.read({ start, end }) },
    effect: end === film.bytes - 1 ? 'write' : 'idempotent',
    deadlineSeconds: PIECE_SECONDS,
  });
}

/** Asks how far an upload is. */
export const progressOf = (session: Session, { address, bytes }: Upload): Answer<Progress> =>
  put(session, {
    method: 'PUT',
    path: address,
    headers: { 'content-range': `bytes */${bytes}` },
    effect: 'read',
  });

async function put(session: Session, request: PlatformRequest): Answer<Progress> {
  const outcome = await session.request(request);
  if (!outcome.ok) return outcome;
  const answer = outcome.value;
  if (answer.status === 308) return ok({ arrived: arrivedOf(answer) });
  if (answer.status === 404 || answer.status === 410) return ok(null);
  if (!answer.ok) return refusal(dialect, answer, request.effect);
  const made = video.safeParse(answer.json);
  return made.success ? ok({ video: made.data }) : unreadable(dialect, request.effect);
}

/** YouTube's word counts, and not what was sent: it may have kept less. Without a range nothing has arrived. */
function arrivedOf({ headers }: PlatformAnswer): number {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
}

const later = (message: string) => refuse('platform.unavailable', message, { retryAfterSeconds: 60 });
const inDoubt = (message: string) => refuse('platform.outcome_unknown', message);
