import { ok, type PublishItem, type PublishMedia, type Session } from '@switchboard/platform-kit';
import { refusal, unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { multipart } from '@switchboard/platform-kit/multipart';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import {
  mediaReceiptKey,
  resumeUploads,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import type { ProcessingState } from '@switchboard/platform-kit/wait-until-ready';
import { attachment, errorMapping, requestJson } from './wire.js';

/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the ID.
 */
const POLL_DELAYS_MS: readonly number[] = [250, 750, 1_500, 3_000, ...Array<number>(20).fill(5_000)];

/** The IDs of the item's media at the server, ready for a status. */
export const uploadMedia = (
  session: Session,
  { media }: Pick<PublishItem, 'media'>,
  receipt: PartReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<readonly string[]> =>
  resumeUploads(
    session,
    receipt,
    { name: errorMapping.name, delaysMs, look: (id) => getProcessingState(session, id) },
    media.map((medium, at) => ({ key: mediaReceiptKey(at), upload: () => uploadFile(session, medium) })),
  );

/** The server deletes media that no status references after a day. */
async function uploadFile(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const uploaded = await requestJson(
    session,
    {
      method: 'POST',
      path: '/api/v2/media',
      body: multipart(medium.altText ? { description: medium.altText } : {}, { name: 'file', ...medium }),
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(medium.bytes),
    },
    attachment,
  );
  if (!uploaded.ok) return uploaded;
  const { id, url } = uploaded.value;
  return ok({ id, state: url ? 'ready' : 'processing' });
}

/** Null: the ID no longer exists, or a status references it. */
async function getProcessingState(session: Session, id: string): AdapterResult<ProcessingState | null> {
  const outcome = await session.request({
    method: 'GET',
    path: `/api/v1/media/${encodeURIComponent(id)}`,
    effect: 'read',
  });
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  if (response.status === 404 && errorMapping.parseError(response)) return ok(null);
  const refused = response.ok ? null : refusal(errorMapping, response, 'read');
  // The server cannot process the file, and reports why.
  if (refused) return response.status === 422 ? ok(refused) : refused;
  // Documented without a body.
  if (response.status === 206) return ok('processing');
  return attachment.safeParse(response.json).success ? ok('ready') : unreadableResponse(errorMapping, 'read');
}
