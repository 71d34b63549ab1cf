import { ok, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { lookAt } from '../kit/graph-objects.js';
import type { Upload } from './film-upload.js';
import { manifest } from './manifest.js';
import { film, type Film } from './wire.js';

export interface SeenFilm {
  readonly id: string;
  readonly state: 'waiting' | 'processing' | 'failed' | 'hidden' | 'published';
  readonly url: string | null;
  /** What is wrong with it, in Facebook's words. */
  readonly why: string | null;
}

/** Null: there is none by this id (any more). */
export async function lookAtFilm(session: Session, upload: Upload): Answer<SeenFilm | null> {
  const { id, isFinished } = upload;
  const seen = await lookAt(session, manifest.name, id, 'status,published,permalink_url', film);
  if (!seen.ok) return seen;
  if (seen.value === null) return ok(null);
  const state = stateOf(seen.value, upload);
  const isTaken = isFinished && state === 'waiting';
  return ok({
    id,
    state: isTaken ? 'processing' : state,
    url: urlOf(seen.value, id),
    why: errorIn(seen.value),
  });
}

const OVER = ['error', 'expired', 'upload_failed'];

function stateOf(seen: Film, { session }: Upload): SeenFilm['state'] {
  const {
    video_status: whole,
    processing_phase: processing,
    publishing_phase: publishing,
  } = seen.status ?? {};
  const told = publishing?.publish_status;
  if (told === 'published') return 'published';
  if (OVER.includes(whole ?? '') || errorIn(seen) !== null) return 'failed';
  if (whole === 'ready') {
    // Of a reel it means "ready to be published" until its publishing has begun.
    const isUnbegun = (publishing?.status ?? 'not_started') === 'not_started';
    if (session === null && told == null && isUnbegun) return 'waiting';
    if (told == null && seen.published !== false) return 'published';
    // An upright one may be a draft, of which every request was a success (gitroomhq/postiz-app#1740).
    return publishing?.status === 'in_progress' ? 'processing' : 'hidden';
  }
  // `processing` is said of what is not finished, too.
  const begun = processing?.status ?? (whole === 'processing' ? 'in_progress' : 'not_started');
  return begun === 'not_started' ? 'waiting' : 'processing';
}

/** What goes wrong is told there, whatever the status of the whole says. */
const errorIn = ({ status }: Film): string | null =>
  status?.processing_phase?.error?.message ?? status?.publishing_phase?.error?.message ?? null;

/** Of films Facebook leaves its own host out. */
const urlOf = ({ permalink_url: link }: Film, id: string): string =>
  new URL(link || `/${id}`, 'https://www.facebook.com').href;
