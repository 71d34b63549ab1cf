import { ok, type PublishItem, type PublishMedia, type SaveReceipt, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import type { z } from 'zod';
import { uploadToPresignedUrl } from '../kit/upload-to-presigned-url.js';
import { waitUntilReady, type ProcessingState } from '../kit/wait-until-ready.js';
import { requestJson, errorMapping, mediaUpload, registered } from './wire.js';

type MediaStatus = z.infer<typeof mediaUpload>['status'];

/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the ID.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(12).fill(5_000)];

/** The ID of a video at Pinterest, ready for a pin. A video uploaded by an earlier attempt is reused. */
export async function uploadVideo(
  session: Session,
  medium: PublishMedia,
  { receipt }: Pick<PublishItem, 'receipt'>,
  saveReceipt: SaveReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<string> {
  const known = await getMediaStatus(session, receipt['media_id'] ?? '');
  if (!known.ok) return known;
  // Only the registration returns the upload URL, so an incomplete upload is registered anew.
  const isThere = known.value === 'processing' || known.value === 'succeeded';
  const sent = isThere ? ok(receipt['media_id'] ?? '') : await registerAndUpload(session, medium);
  if (!sent.ok) return sent;
  if (!isThere) await saveReceipt({ ...receipt, media_id: sent.value });
  const ready = await waitUntilReady(session, {
    name: errorMapping.name,
    delaysMs,
    look: () => getProcessingState(session, sent.value),
  });
  // A video that cannot be processed is unusable: a retry starts with the file.
  if (!ready.ok && ready.failure.code === 'platform.refused') await saveReceipt({ ...receipt, media_id: '' });
  return ready.ok ? ok(sent.value) : ready;
}

/** A video that no pin references is not public, so uploading it again does no harm. */
async function registerAndUpload(session: Session, medium: PublishMedia): AdapterResult<string> {
  const place = await requestJson(
    session,
    { method: 'POST', path: '/v5/media', json: { media_type: 'video' }, effect: 'idempotent' },
    registered,
  );
  if (!place.ok) return place;
  const { media_id: id, upload_url: path, upload_parameters: parameters } = place.value;
  const file = { ...medium, name: 'file' };
  const sent = await uploadToPresignedUrl(session, {
    name: errorMapping.name,
    path,
    fields: parameters,
    file,
  });
  return sent.ok ? ok(id) : sent;
}

/** Null: the ID does not exist, or no longer. */
async function getMediaStatus(session: Session, id: string): AdapterResult<MediaStatus | null> {
  if (id === '') return ok(null);
  const seen = await requestJson(
    session,
    { method: 'GET', path: `/v5/media/${encodeURIComponent(id)}`, effect: 'read' },
    mediaUpload,
    (_words, { status }) => (status === 404 ? ok(null) : undefined),
  );
  return seen.ok ? ok(seen.value && seen.value.status) : seen;
}

async function getProcessingState(session: Session, id: string): AdapterResult<ProcessingState | null> {
  const seen = await getMediaStatus(session, id);
  if (!seen.ok) return seen;
  if (seen.value === 'succeeded') return ok('ready');
  return ok(seen.value === 'registered' ? 'processing' : seen.value);
}
