import { ok, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { findObject } from '../kit/graph-objects.js';
import type { VideoUpload } from './video-upload.js';
import { manifest } from './manifest.js';
import { video, type Video } from './wire.js';

export interface VideoStatus {
  readonly id: string;
  readonly state: 'waiting' | 'processing' | 'failed' | 'hidden' | 'published';
  readonly url: string | null;
  /** What is wrong with it, in Facebook's words. */
  readonly why: string | null;
}

/** Null: there is none by this id (any more). */
export async function getVideoStatus(session: Session, upload: VideoUpload): AdapterResult<VideoStatus | null> {
  const { id, isFinished } = upload;
  const seen = await findObject(session, manifest.name, id, 'status,published,permalink_url', video);
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

const FAILED_STATUSES = ['error', 'expired', 'upload_failed'];

function stateOf(seen: Video, { session }: VideoUpload): VideoStatus['state'] {
  const {
    video_status: whole,
    processing_phase: processing,
    publishing_phase: publishing,
  } = seen.status ?? {};
  const reported = publishing?.publish_status;
  if (reported === 'published') return 'published';
  if (FAILED_STATUSES.includes(whole ?? '') || errorIn(seen) !== null) return 'failed';
  if (whole === 'ready') {
    // Of a reel it means "ready to be published" until its publishing has begun.
    const isNotStarted = (publishing?.status ?? 'not_started') === 'not_started';
    if (session === null && reported == null && isNotStarted) return 'waiting';
    if (reported == null && seen.published !== false) return 'published';
    // An upright one may be a draft, of which every request was a success (gitroomhq/postiz-app#1740).
    return publishing?.status === 'in_progress' ? 'processing' : 'hidden';
  }
  // `processing` is said of what is not finished, too.
  const started = processing?.status ?? (whole === 'processing' ? 'in_progress' : 'not_started');
  return started === 'not_started' ? 'waiting' : 'processing';
}

/** What goes wrong is told there, whatever the status of the whole says. */
const errorIn = ({ status }: Video): string | null =>
  status?.processing_phase?.error?.message ?? status?.publishing_phase?.error?.message ?? null;

/** Of films Facebook leaves its own host out. */
const urlOf = ({ permalink_url: link }: Video, id: string): string =>
  new URL(link || `/${id}`, 'https://www.facebook.com').href;
