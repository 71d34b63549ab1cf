import { ok, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { findObject } from '../graph/graph-objects.js';
import type { VideoUpload } from './video-upload.js';
import { manifest } from './manifest.js';
import { video, type Video } from './wire.js';

export interface VideoStatus {
  readonly id: string;
  readonly state: 'waiting' | 'processing' | 'failed' | 'hidden' | 'published';
  readonly url: string | null;
  readonly reason: string | null;
}

/** Null: it does not exist, or no longer. */
export async function getVideoStatus(
  session: Session,
  upload: VideoUpload,
): AdapterResult<VideoStatus | null> {
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
    reason: errorIn(seen.value),
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
    // For a reel it means "ready to be published" until its publishing has begun.
    const isNotStarted = (publishing?.status ?? 'not_started') === 'not_started';
    if (session === null && reported == null && isNotStarted) return 'waiting';
    if (reported == null && seen.published !== false) return 'published';
    // A portrait video may be a draft although every request succeeded (gitroomhq/postiz-app#1740).
    return publishing?.status === 'in_progress' ? 'processing' : 'hidden';
  }
  // `processing` is also reported for an unfinished upload.
  const started = processing?.status ?? (whole === 'processing' ? 'in_progress' : 'not_started');
  return started === 'not_started' ? 'waiting' : 'processing';
}

/** Errors are reported in the phases, regardless of the overall status. */
const errorIn = ({ status }: Video): string | null =>
  status?.processing_phase?.error?.message ?? status?.publishing_phase?.error?.message ?? null;

/** For videos Facebook omits its own host. */
const urlOf = ({ permalink_url: link }: Video, id: string): string =>
  new URL(link || `/${id}`, 'https://www.facebook.com').href;
