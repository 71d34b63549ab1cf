import { ok } from '@switchboard/domain';
import type { PublishMedia, Session } from '@switchboard/domain/ports';
import type { z } from 'zod';
import type { PartReceipt } from '../kit/part-receipt.js';
import type { AdapterResult } from '../kit/platform-client.js';
import { resumeUploads, type UploadedFile, type UploadState } from '../kit/resumable-uploads.js';
import { uploadToPresignedUrl } from '../kit/upload-to-presigned-url.js';
import { requestJson, errorMapping, mediaUpload, registered } from './wire.js';

/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the ID.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(12).fill(5_000)];

/** The ID of a video at Pinterest, ready for a pin. */
export async function uploadVideo(
  session: Session,
  medium: PublishMedia,
  receipt: PartReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<string> {
  const ids = await resumeUploads(
    session,
    receipt,
    { name: errorMapping.name, delaysMs, look: (id) => getUploadState(session, id) },
    [{ key: 'media_id', upload: () => registerAndUpload(session, medium) }],
  );
  return ids.ok ? ok(ids.value[0] ?? '') : ids;
}

async function registerAndUpload(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
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
  return sent.ok ? ok({ id, state: 'processing' }) : sent;
}

/** Null: the ID does not exist, or no longer. */
async function getUploadState(session: Session, id: string): AdapterResult<UploadState | null> {
  const seen = await requestJson(
    session,
    { method: 'GET', path: `/v5/media/${encodeURIComponent(id)}`, effect: 'read' },
    mediaUpload,
    (_words, { status }) => (status === 404 ? ok(null) : undefined),
  );
  return seen.ok ? ok(seen.value && STATES[seen.value.status]) : seen;
}

const STATES: Readonly<Record<z.infer<typeof mediaUpload>['status'], UploadState>> = {
  registered: 'unregistered',
  processing: 'processing',
  succeeded: 'ready',
  failed: 'failed',
};
