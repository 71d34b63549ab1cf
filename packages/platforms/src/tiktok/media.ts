import {
  ok,
  quotePlatform,
  refuse,
  type PublishMedia,
  type Remember,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { manifest } from './manifest.js';
import { doubt, look } from './post-status.js';

/** TikTok takes from five to 64 MB, of the last up to 128, and what is smaller than two of ours as a whole. */
const CHUNK_BYTES = 10_000_000;

/** How a film is cut: always alike, so that a later attempt goes on where an earlier one ended. */
export function cut(bytes: number): { readonly size: number; readonly count: number } {
  const count = Math.floor(bytes / CHUNK_BYTES);
  return count < 2 ? { size: bytes, count: 1 } : { size: CHUNK_BYTES, count };
}

/** A post that was begun: the address where the rest of its film goes, and how much of it is there. */
export interface Begun {
  readonly publishId: string;
  readonly url: string;
  readonly from: number;
}

export const receiptOf = ({ publishId, url }: Begun, bytes: number) => ({
  publish_id: publishId,
  upload_url: url,
  bytes: String(bytes),
});

/** Remembered from when on a request may leave with which it is out. */
export const SENT = { sent: 'yes' };

/** Sends what is missing of a film: TikTok posts it after its last chunk. */
export async function sendFilm(
  session: Session,
  film: PublishMedia,
  begun: Begun,
  remember: Remember,
): Answer<undefined> {
  const { size, count } = cut(film.bytes);
  for (let at = Math.floor(begun.from / size); at < count; at++) {
    const isLast = at === count - 1;
    const start = at * size;
    const end = isLast ? film.bytes - 1 : start + size - 1;
    const length = end - start + 1;
    if (isLast) await remember({ ...receiptOf(begun, film.bytes), ...SENT });
    const sent = await session.request({
      method: 'PUT',
      path: begun.url,
      bare: true,
      headers: { 'Content-Range': `bytes ${start}-${end}/${film.bytes}` },
      body: { type: film.type, length, stream: () => film.read({ start, end }) },
      effect: isLast ? 'write' : 'idempotent',
      deadlineSeconds: uploadSeconds(length),
    });
    if (!sent.ok) return sent;
    if (sent.value.ok) continue;
    const there = await isThere(session, film, begun);
    if (!there.ok)
      return isLast ? doubt(there) : beforeSending(manifest, there, 'how much of the film is there.');
    return there.value ? ok() : notTaken(sent.value.status, remember);
  }
  return ok();
}

/** Whether nobody takes a chunk because all of the film is there, which is then settled as any other. */
async function isThere(session: Session, film: PublishMedia, { publishId }: Begun): Answer<boolean> {
  const seen = await look(session, publishId);
  if (!seen.ok) return seen;
  return ok(seen.value?.state === 'under_way' ? (seen.value.bytes ?? 0) >= film.bytes : seen.value !== null);
}

async function notTaken(status: number, remember: Remember): Answer<undefined> {
  if (status === 400) {
    const platform = quotePlatform(manifest.name, 'Bad Request', '400');
    return refuse('platform.refused', 'TikTok refused a part of the film.', { platform });
  }
  // Its address is good for an hour. What is not whole by then never becomes a post.
  if (status === 403 || status === 404) await remember({});
  return refuse('platform.unavailable', 'TikTok does not take the rest of this film now.');
}
