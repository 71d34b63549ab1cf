import {
  ok,
  type CardImage,
  type PublishItem,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { unreadableResponse, type AdapterResult } from '../kit/platform-client.js';
import { waitUntilReady, type ProcessingState } from '../kit/wait-until-ready.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { mediaReceiptKey } from '../kit/uploaded-media-ids.js';
import { requestJson, requestResponse, encodeUrn } from './client.js';
import { manifest } from './manifest.js';
import { anything, asset, startedUpload, startedVideo, errorMapping } from './wire.js';

type UploadSource = PublishMedia | CardImage;

/** The URNs of the item's media and of its card's image. */
export interface UploadedUrns {
  readonly media: readonly string[];
  readonly thumbnail: string | null;
}

/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the URN.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(14).fill(4_000)];

/** Media that is shown only after it has been processed. */
const needsProcessing = (urn: string) => !urn.startsWith('urn:li:image:');

/** The URNs of the item's media, ready for a post. Media uploaded by an earlier attempt is reused. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<UploadedUrns> {
  let receipt = item.receipt;
  const saveUrn = (key: string, urn: string) => saveReceipt((receipt = { ...receipt, [key]: urn }));
  const ensureUploaded = async (key: string, upload: UploadSource): AdapterResult<string> => {
    const known = receipt[key] ?? '';
    const seen = await getProcessingState(session, known);
    if (!seen.ok) return seen;
    if (seen.value && seen.value !== 'failed') return ok(known);
    const kind = 'kind' in upload ? upload.kind : 'image';
    const sent = await (kind === 'video' ? uploadVideo(session, upload) : uploadFile(session, kind, upload));
    if (sent.ok) await saveUrn(key, sent.value);
    return sent;
  };
  const media: string[] = [];
  for (const [at, medium] of item.media.entries()) {
    const sent = await ensureUploaded(mediaReceiptKey(at), medium);
    if (!sent.ok) return sent;
    media.push(sent.value);
  }
  for (const urn of media.filter(needsProcessing)) {
    const ready = await waitUntilReady(session, {
      name: errorMapping.name,
      delaysMs,
      look: () => getProcessingState(session, urn),
    });
    if (!ready.ok) return ready;
  }
  // LinkedIn does not accept WebP, and a card can omit its image.
  const image = media.length === 0 && item.card?.image?.type !== 'image/webp' ? item.card?.image : null;
  const thumbnail = image ? await ensureUploaded('thumbnail', image) : ok(null);
  return thumbnail.ok ? ok({ media, thumbnail: thumbnail.value }) : thumbnail;
}

/** An image or a document is uploaded in one request. */
async function uploadFile(
  session: Session,
  kind: 'image' | 'document',
  upload: UploadSource,
): AdapterResult<string> {
  const initializeUploadRequest = { owner: session.account.id };
  const path = `/rest/${kind}s?action=initializeUpload`;
  const started = await postJson(session, path, { initializeUploadRequest }, startedUpload);
  if (!started.ok) return started;
  const { uploadUrl, [kind]: urn } = started.value.value;
  if (urn === undefined) return unreadableResponse(errorMapping, 'idempotent');
  const sent = await uploadBytes(session, uploadUrl, upload);
  return sent.ok ? ok(urn) : sent;
}

/**
 * A video is uploaded in the chunks that LinkedIn requests, and finalized with the ETags that it returned for
 * them.
 */
async function uploadVideo(session: Session, videoFile: UploadSource): AdapterResult<string> {
  const initializeUploadRequest = {
    owner: session.account.id,
    fileSizeBytes: videoFile.bytes,
    uploadCaptions: false,
    uploadThumbnail: false,
  };
  const path = '/rest/videos?action=initializeUpload';
  const started = await postJson(session, path, { initializeUploadRequest }, startedVideo);
  if (!started.ok) return started;
  const { video, uploadToken, uploadInstructions } = started.value.value;
  const uploadedPartIds: string[] = [];
  for (const { uploadUrl, firstByte: start, lastByte: end } of uploadInstructions) {
    const sent = await uploadBytes(session, uploadUrl, {
      type: 'application/octet-stream',
      bytes: end - start + 1,
      read: () => videoFile.read({ start, end }),
    });
    if (!sent.ok) return sent;
    const tag = sent.value?.replace(/^"|"$/g, '');
    if (!tag) return unreadableResponse(errorMapping, 'idempotent');
    uploadedPartIds.push(tag);
  }
  const finalizeUploadRequest = { video, uploadToken: uploadToken ?? '', uploadedPartIds };
  const finish = '/rest/videos?action=finalizeUpload';
  const finished = await postJson(session, finish, { finalizeUploadRequest }, anything);
  return finished.ok ? ok(video) : finished;
}

/** Media that no post references is not public, so uploading it again does no harm. */
const postJson = <Value>(session: Session, path: string, json: unknown, schema: z.ZodType<Value>) =>
  requestJson(session, { method: 'POST', path, json, effect: 'idempotent' }, schema);

/**
 * LinkedIn's own URLs receive the login, as documented for images; any other URL needs none. Returns the
 * ETag.
 */
async function uploadBytes(
  session: Session,
  path: string,
  { type, bytes, read }: Pick<UploadSource, 'type' | 'bytes' | 'read'>,
): AdapterResult<string | undefined> {
  const own = [session.baseUrl, manifest.uploadBaseUrl].some((origin) => path.startsWith(`${origin}/`));
  const response = await requestResponse(session, {
    method: 'PUT',
    path,
    omitsCredential: !own,
    effect: 'idempotent',
    body: { type, length: bytes, stream: () => read() },
    deadlineSeconds: uploadTimeoutSeconds(bytes),
  });
  return response.ok ? ok(response.value.headers['etag']) : response;
}

/** Null: the URN does not exist, or no longer. */
async function getProcessingState(session: Session, urn: string): AdapterResult<ProcessingState | null> {
  if (urn === '') return ok(null);
  const path = `/rest/${urn.split(':')[2]}s/${encodeUrn(urn)}`;
  const seen = await requestJson(
    session,
    { method: 'GET', path, effect: 'read' },
    asset,
    (_words, { status }) => {
      // A login without the permissions for pages may upload, but not read the status of its upload.
      if (status === 403) return ok({ status: 'AVAILABLE' });
      return status === 404 ? ok(null) : undefined;
    },
  );
  return seen.ok ? ok(seen.value && stateOf(seen.value.status)) : seen;
}

function stateOf(status: string): ProcessingState | null {
  if (status === 'AVAILABLE') return 'ready';
  // The status is read only after a complete upload: LinkedIn has not registered it yet.
  if (status === 'PROCESSING' || status === 'WAITING_UPLOAD') return 'processing';
  return status === 'PROCESSING_FAILED' ? 'failed' : null;
}
