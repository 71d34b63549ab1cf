import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import type { z } from 'zod';
import { sendToStore } from '../kit/send-to-store.js';
import { untilReady, type Progress } from '../kit/until-ready.js';
import { ask, dialect, film, registered } from './wire.js';

type Status = z.infer<typeof film>['status'];

/** Between two looks at what is being processed. What takes longer than all of them is left to a later attempt, which knows it by its id. */
const PAUSES_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(12).fill(5_000)];

/** The id of a film at Pinterest, ready for a pin. One that an earlier attempt remembered is taken up again. */
export async function uploadFilm(
  session: Session,
  medium: PublishMedia,
  { receipt }: Pick<PublishItem, 'receipt'>,
  remember: Remember,
  pausesMs = PAUSES_MS,
): Answer<string> {
  const known = await look(session, receipt['media_id'] ?? '');
  if (!known.ok) return known;
  // Only who registers is told where to upload, so that what never came is begun anew.
  const isThere = known.value === 'processing' || known.value === 'succeeded';
  const sent = isThere ? ok(receipt['media_id'] ?? '') : await send(session, medium);
  if (!sent.ok) return sent;
  if (!isThere) await remember({ ...receipt, media_id: sent.value });
  const ready = await untilReady(session, {
    name: dialect.name,
    pausesMs,
    look: () => lookAgain(session, sent.value),
  });
  // Nothing becomes of what cannot be processed: whoever tries again begins with the file.
  if (!ready.ok && ready.failure.code === 'platform.refused') await remember({ ...receipt, media_id: '' });
  return ready.ok ? ok(sent.value) : ready;
}

/** A film that no pin shows is seen by nobody, so that sending it again does no harm. */
async function send(session: Session, medium: PublishMedia): Answer<string> {
  const place = await ask(
    session,
    { method: 'POST', path: '/v5/media', json: { media_type: 'video' }, effect: 'idempotent' },
    registered,
  );
  if (!place.ok) return place;
  const { media_id: id, upload_url: path, upload_parameters: parameters } = place.value;
  const file = { ...medium, name: 'file' };
  const sent = await sendToStore(session, { name: dialect.name, path, fields: parameters, file });
  return sent.ok ? ok(id) : sent;
}

/** Null: there is none by this id, or none any more. */
async function look(session: Session, id: string): Answer<Status | null> {
  if (id === '') return ok(null);
  const seen = await ask(
    session,
    { method: 'GET', path: `/v5/media/${encodeURIComponent(id)}`, effect: 'read' },
    film,
    (_words, { status }) => (status === 404 ? ok(null) : undefined),
  );
  return seen.ok ? ok(seen.value && seen.value.status) : seen;
}

async function lookAgain(session: Session, id: string): Answer<Progress | null> {
  const seen = await look(session, id);
  if (!seen.ok) return seen;
  if (seen.value === 'succeeded') return ok('ready');
  return ok(seen.value === 'registered' ? 'processing' : seen.value);
}
