import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type PublishMedia,
  type Remember,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { untilReady } from '../kit/until-ready.js';
import { ask } from './ask.js';
import { lookAtFilm, type SeenFilm } from './film-state.js';
import { finishing, receiptOf, sendFilm, sendReel, uploadIn, type Upload } from './film-upload.js';
import { manifest } from './manifest.js';
import { becomesReel } from './reels.js';
import { finalText } from './rules.js';
import { done } from './wire.js';

/** Between two looks at what is being processed. What takes longer is looked up later. */
const PAUSES_MS: readonly number[] = [0, 500, 1_500, 3_000, ...Array<number>(11).fill(5_000)];
const LATER_SECONDS = 60;

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
  const send = becomesReel(item, medium) ? sendReel : sendFilm;
  const sent = kept ? ok(kept) : await send(session, medium);
  if (!sent.ok) return sent;
  if (!kept) await remember(receiptOf(sent.value));
  const finished = await ask(session, finishing(session, sent.value, finalText(item)), done);
  // What is refused at the second time may be so because of the first.
  const isTaken = finished.ok || (kept !== null && finished.failure.code === 'platform.refused');
  if (!isTaken) return finished;
  const taken: Upload = { ...sent.value, isFinished: true };
  await remember(receiptOf(taken));
  return finished.ok ? settled(session, taken, pausesMs) : publishedBefore();
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
  if (film?.state === 'failed') {
    const quoted = film.why === null ? {} : { platform: quotePlatform(manifest.name, film.why) };
    return refuse('platform.refused', 'Facebook can make nothing of this film.', quoted);
  }
  if (film) return ok(film);
  const extras = { retryAfterSeconds: LATER_SECONDS };
  return refuse('platform.outcome_unknown', 'Facebook has taken the film and not shown it yet.', extras);
}

/** An earlier attempt got through after all: it has to be looked up. */
const publishedBefore = () => refuse('platform.outcome_unknown', 'Facebook has this film already.');
