import { ok, quotePlatform, refuse, type PublishMedia, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { manifest } from './manifest.js';
import { doubt, look } from './post-status.js';

/** TikTok takes from five to 64 MB, of the last up to 128, and what is smaller than two of ours as a whole. */
const CHUNK_BYTES = 10_000_000;
const CHUNK_SECONDS = 120;

/** How a film is cut: always alike, so that a later attempt goes on where an earlier one ended. */
export function cut(bytes: number): { readonly size: number; readonly count: number } {
  const count = Math.floor(bytes / CHUNK_BYTES);
  return count < 2 ? { size: bytes, count: 1 } : { size: CHUNK_BYTES, count };
}

export interface FilmUpload {
  readonly publishId: string;
  readonly url: string;
  /** How much of it is there already. */
  readonly from: number;
}

/** Sends what is missing of a film. `beforeLast` ends before the chunk leaves after which TikTok posts it. */
export async function sendFilm(
  session: Session,
  film: PublishMedia,
  upload: FilmUpload,
  beforeLast: () => Promise<void>,
  startAnew: () => Promise<void>,
): Answer<undefined> {
  const { size, count } = cut(film.bytes);
  for (let at = Math.floor(upload.from / size); at < count; at++) {
    const isLast = at === count - 1;
    const start = at * size;
    const end = isLast ? film.bytes - 1 : start + size - 1;
    if (isLast) await beforeLast();
    const sent = await session.request({
      method: 'PUT',
      path: upload.url,
      bare: true,
      headers: { 'Content-Range': `bytes ${start}-${end}/${film.bytes}` },
      body: { type: film.type, length: end - start + 1, stream: () => film.read({ start, end }) },
      // With the last chunk it is posted, and not before.
      effect: isLast ? 'write' : 'idempotent',
      deadlineSeconds: CHUNK_SECONDS,
    });
    if (!sent.ok) return sent;
    if (!sent.value.ok) return notTaken(session, film, upload, { ...sent.value, isLast }, startAnew);
  }
  return ok();
}

/** Nobody takes this chunk: perhaps because all of it is there, which is then settled as any other. */
async function notTaken(
  session: Session,
  film: PublishMedia,
  { publishId }: FilmUpload,
  { status, isLast }: { readonly status: number; readonly isLast: boolean },
  startAnew: () => Promise<void>,
): Answer<undefined> {
  const seen = await look(session, publishId);
  if (!seen.ok) return isLast ? doubt(seen) : beforeSending(manifest, seen, 'how much of the film is there.');
  const isThere =
    seen.value?.state === 'under_way' ? (seen.value.bytes ?? 0) >= film.bytes : seen.value !== null;
  if (isThere) return ok();
  if (status === 400) {
    const platform = quotePlatform(manifest.name, 'Bad Request', '400');
    return refuse('platform.refused', 'TikTok refused a part of the film.', { platform });
  }
  // Its address is good for an hour. What is not whole by then never becomes a post.
  if (status === 403 || status === 404) await startAnew();
  return refuse('platform.unavailable', 'TikTok does not take the rest of this film now.');
}
