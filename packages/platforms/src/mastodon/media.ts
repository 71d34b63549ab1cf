import {
  ok,
  type PlatformFailureCode,
  type PublishItem,
  type PublishMedia,
  type Refusal,
  type SaveReceipt,
  type Session,
} from '@switchboard/domain';
import { requestJson, refusal, unreadableResponse, type AdapterResult } from '../kit/platform-client.js';
import { multipart } from '../kit/multipart.js';
import { waitUntilReady } from '../kit/wait-until-ready.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { mediaReceiptKey } from '../kit/uploaded-media-ids.js';
import { attachment, errorMapping } from './wire.js';

interface UploadedAttachment {
  readonly id: string;
  readonly isReady: boolean;
}

/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the ID.
 */
const POLL_DELAYS_MS: readonly number[] = [250, 750, 1_500, 3_000, ...Array<number>(20).fill(5_000)];

/**
 * The IDs of the item's media at the server, ready for a status. Media uploaded by an earlier attempt is
 * reused.
 */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<readonly string[]> {
  let receipt = item.receipt;
  const saveId = (at: number, id: string) =>
    saveReceipt((receipt = { ...receipt, [mediaReceiptKey(at)]: id }));
  /** Media that cannot be processed is unusable: a retry starts with the file. */
  const discardFailed = async (at: number, refused: Refusal<PlatformFailureCode>) => {
    if (refused.failure.code === 'platform.refused' && receipt[mediaReceiptKey(at)]) await saveId(at, '');
    return refused;
  };
  const attachments: UploadedAttachment[] = [];
  for (const [at, medium] of item.media.entries()) {
    const known = await findAttachment(session, receipt[mediaReceiptKey(at)] ?? '');
    if (!known.ok) return discardFailed(at, known);
    const there = known.value ? ok(known.value) : await uploadFile(session, medium);
    if (!there.ok) return there;
    if (!known.value) await saveId(at, there.value.id);
    attachments.push(there.value);
  }
  for (const [at, { id, isReady }] of attachments.entries()) {
    const look = () => getProcessingState(session, id);
    const ready = isReady ? ok() : await waitUntilReady(session, { name: errorMapping.name, delaysMs, look });
    if (!ready.ok) return discardFailed(at, ready);
  }
  return ok(attachments.map(({ id }) => id));
}

/**
 * Media that no status references is not public and expires after a day, so uploading it again does no harm.
 */
async function uploadFile(session: Session, medium: PublishMedia): AdapterResult<UploadedAttachment> {
  const uploaded = await requestJson(
    session,
    errorMapping,
    {
      method: 'POST',
      path: '/api/v2/media',
      body: multipart(medium.altText ? { description: medium.altText } : {}, { name: 'file', ...medium }),
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(medium.bytes),
    },
    attachment,
  );
  return uploaded.ok ? ok({ id: uploaded.value.id, isReady: Boolean(uploaded.value.url) }) : uploaded;
}

/** Null: the ID no longer exists, or a status references it. */
async function findAttachment(session: Session, id: string): AdapterResult<UploadedAttachment | null> {
  if (id === '') return ok(null);
  const outcome = await session.request({
    method: 'GET',
    path: `/api/v1/media/${encodeURIComponent(id)}`,
    effect: 'read',
  });
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  if (response.status === 404 && errorMapping.parseError(response)) return ok(null);
  if (!response.ok) return refusal(errorMapping, response, 'read');
  // Documented without a body.
  if (response.status === 206) return ok({ id, isReady: false });
  return attachment.safeParse(response.json).success
    ? ok({ id, isReady: true })
    : unreadableResponse(errorMapping, 'read');
}

async function getProcessingState(
  session: Session,
  id: string,
): AdapterResult<'ready' | 'processing' | null> {
  const seen = await findAttachment(session, id);
  return seen.ok ? ok(seen.value && (seen.value.isReady ? 'ready' : 'processing')) : seen;
}
