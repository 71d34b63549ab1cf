import {
  ok,
  refuse,
  type PublishItem,
  type PublishMedia,
  type Remember,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { lookAt } from '../kit/graph-objects.js';
import { multipart } from '../kit/multipart.js';
import { untilReady } from '../kit/until-ready.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { finalText } from './rules.js';
import { begun, done, film, nextPiece, type Film } from './wire.js';

/** Between two looks at what is being processed. What takes longer is looked up later. */
const PAUSES_MS: readonly number[] = [0, 500, 1_500, 3_000, ...Array<number>(11).fill(5_000)];
const LATER_SECONDS = 60;
const PIECE_SECONDS = 120;
/** Twice as many as the largest film has of a mebibyte. */
const PIECES_MAX = 2_048;
const FILM = 'film';
const UPLOAD = 'upload';
const FINISHED = 'finished';

export interface Upload {
  /** The film's. */
  readonly id: string;
  readonly upload: string;
  /** Facebook has taken it, as far as we know: it comes out, whatever its status says by now. */
  readonly isFinished: boolean;
}

/** What an attempt sent whole, and perhaps published. */
export function uploadIn({ receipt }: Pick<PublishItem, 'receipt'>): Upload | null {
  const [id, upload] = [receipt[FILM], receipt[UPLOAD]];
  return id && upload ? { id, upload, isFinished: receipt[FINISHED] !== undefined } : null;
}

export interface SeenFilm {
  readonly id: string;
  readonly state: 'waiting' | 'processing' | 'failed' | 'hidden' | 'published';
  readonly url: string | null;
}

/** Publishes a film. Its id is known before, and says afterwards what became of it: one film is never two posts. */
export async function publishFilm(
  session: Session,
  item: PublishItem,
  medium: PublishMedia,
  remember: Remember,
  pausesMs = PAUSES_MS,
): Answer<SeenFilm> {
  const known = uploadIn(item);
  const before = known ? await lookAtFilm(session, known) : ok(null);
  if (!before.ok) return before;
  const state = before.value?.state;
  if (state === 'published' || state === 'processing' || state === 'hidden') return publishedBefore();
  const kept = state === 'waiting' ? known : null;
  const sent = kept ? ok(kept) : await send(session, medium);
  if (!sent.ok) return sent;
  const { id, upload } = sent.value;
  const receipt = { [FILM]: id, [UPLOAD]: upload };
  if (!kept) await remember(receipt);
  const form = { upload_phase: 'finish', upload_session_id: upload, description: finalText(item) };
  const finish = { method: 'POST', path: videosOf(session), form, effect: 'write' } as const;
  const finished = await ask(session, finish, done);
  // What is refused at the second time may be so because of the first.
  const isTaken = finished.ok || (kept !== null && finished.failure.code === 'platform.refused');
  if (!isTaken) return finished;
  await remember({ ...receipt, [FINISHED]: 'yes' });
  return finished.ok ? settled(session, { id, upload, isFinished: true }, pausesMs) : publishedBefore();
}

/** From here on it is Facebook's: whoever cannot see what becomes of it looks it up later, and sends nothing. */
async function settled(session: Session, upload: Upload, pausesMs: readonly number[]): Answer<SeenFilm> {
  let last: SeenFilm | null = null;
  const look = async (): Answer<'ready' | 'processing' | null> => {
    const seen = await lookAtFilm(session, upload);
    if (!seen.ok) return seen;
    last = seen.value;
    const isSettled = seen.value?.state === 'published' || seen.value?.state === 'failed';
    return ok(seen.value && (isSettled ? 'ready' : 'processing'));
  };
  const ready = await untilReady(session, { name: manifest.name, pausesMs, look });
  const film = ready.ok ? (last as SeenFilm | null) : null;
  if (film?.state === 'failed') return refuse('platform.refused', 'Facebook can make nothing of this film.');
  if (film) return ok(film);
  const extras = { retryAfterSeconds: LATER_SECONDS };
  return refuse('platform.outcome_unknown', 'Facebook has taken the film and not shown it yet.', extras);
}

/** An earlier attempt got through after all: it has to be looked up. */
const publishedBefore = () => refuse('platform.outcome_unknown', 'Facebook has this film already.');

/** In pieces as long as Facebook says; the film's id comes with the first answer. */
async function send(session: Session, medium: PublishMedia): Answer<Upload> {
  const path = videosOf(session);
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
        ...{ method: 'POST', path, effect: 'idempotent', deadlineSeconds: PIECE_SECONDS },
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
  return from === medium.bytes ? ok({ id, upload, isFinished: false }) : lostCount();
}

const pieceOf = (medium: PublishMedia, from: number, to: number) => ({
  ...medium,
  name: 'video_file_chunk',
  bytes: to - from,
  read: () => medium.read({ start: from, end: to - 1 }),
});

const lostCount = () =>
  refuse('platform.unavailable', 'Facebook lost count of the pieces of this film. It is sent anew.');

const videosOf = ({ account }: Session) => `/${account.id}/videos`;

/** Null: there is none by this id (any more). */
export async function lookAtFilm(session: Session, { id, isFinished }: Upload): Answer<SeenFilm | null> {
  const seen = await lookAt(session, manifest.name, id, 'status,published,permalink_url', film);
  if (!seen.ok) return seen;
  if (seen.value === null) return ok(null);
  const state = stateOf(seen.value);
  const isTaken = isFinished && state === 'waiting';
  return ok({ id, state: isTaken ? 'processing' : state, url: urlOf(seen.value, id) });
}

function stateOf({ status, published }: Film): SeenFilm['state'] {
  const { video_status: whole, processing_phase: processing, publishing_phase: publishing } = status ?? {};
  const told = publishing?.publish_status;
  if (told === 'published' || (whole === 'ready' && told == null && published !== false)) return 'published';
  // An upright one may be a draft, of which every request was a success (gitroomhq/postiz-app#1740).
  if (whole === 'ready') return publishing?.status === 'in_progress' ? 'processing' : 'hidden';
  if (whole === 'error' || whole === 'expired' || whole === 'upload_failed') return 'failed';
  // `processing` is said of what is not finished, too.
  const begun = processing?.status ?? (whole === 'processing' ? 'in_progress' : 'not_started');
  return begun === 'not_started' ? 'waiting' : 'processing';
}

/** Of films Facebook leaves its own host out. */
const urlOf = ({ permalink_url: link }: Film, id: string): string =>
  new URL(link || `/${id}`, 'https://www.facebook.com').href;
