import {
  ok,
  type CardImage,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import {
  anyResponse,
  unreadableResponse,
  type AdapterResult,
} from '@switchboard/platform-kit/platform-client';
import {
  mediaReceiptKey,
  resumeUploads,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import type { ProcessingState } from '@switchboard/platform-kit/wait-until-ready';
import { requestJson, requestResponse, encodeUrn } from './client.js';
import { manifest } from './manifest.js';
import { asset, startedUpload, startedVideo, errorMapping } from './wire.js';

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

/** The URNs of the item's media, ready for a post. */
export async function uploadMedia(
  session: Session,
  { media, card }: Pick<PublishItem, 'media' | 'card'>,
  receipt: PartReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<UploadedUrns> {
  // LinkedIn does not accept WebP, and a card can omit its image.
  const image = media.length === 0 && card?.image?.type !== 'image/webp' ? card?.image : null;
  const urns = await resumeUploads(
    session,
    receipt,
    { name: errorMapping.name, delaysMs, look: (urn) => getProcessingState(session, urn) },
    [
      ...media.map((medium, at) => ({
        key: mediaReceiptKey(at),
        upload: () =>
          medium.kind === 'video' ? uploadVideo(session, medium) : uploadFile(session, medium.kind, medium),
      })),
      ...(image ? [{ key: 'thumbnail', upload: () => uploadFile(session, 'image', image) }] : []),
    ],
  );
  if (!urns.ok) return urns;
  return ok(image ? { media: [], thumbnail: urns.value[0] ?? null } : { media: urns.value, thumbnail: null });
}

/** An image or a document is uploaded in one request. */
async function uploadFile(
  session: Session,
  kind: 'image' | 'document',
  upload: UploadSource,
): AdapterResult<UploadedFile> {
  const initializeUploadRequest = { owner: session.account.id };
  const path = `/rest/${kind}s?action=initializeUpload`;
  const started = await postJson(session, path, { initializeUploadRequest }, startedUpload);
  if (!started.ok) return started;
  const { uploadUrl, [kind]: urn } = started.value.value;
  if (urn === undefined) return unreadableResponse(errorMapping, 'idempotent');
  const sent = await uploadBytes(session, uploadUrl, upload);
  return sent.ok ? ok({ id: urn, state: kind === 'image' ? 'ready' : 'processing' }) : sent;
}

/**
 * A video is uploaded in the chunks that LinkedIn requests, and finalized with the ETags that it returned for
 * them.
 */
async function uploadVideo(session: Session, videoFile: UploadSource): AdapterResult<UploadedFile> {
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
  const finished = await postJson(session, finish, { finalizeUploadRequest }, anyResponse);
  return finished.ok ? ok({ id: video, state: 'processing' }) : finished;
}

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
  const path = `/rest/${urn.split(':')[2]}s/${encodeUrn(urn)}`;
  const seen = await requestJson(session, path, asset, (_words, { status }) => {
    // A login without the permissions for pages may upload, but not read the status of its upload.
    if (status === 403) return ok({ status: 'AVAILABLE' });
    return status === 404 ? ok(null) : undefined;
  });
  return seen.ok ? ok(seen.value && (STATES[seen.value.status] ?? null)) : seen;
}

const STATES: Readonly<Record<string, ProcessingState>> = {
  AVAILABLE: 'ready',
  PROCESSING: 'processing',
  PROCESSING_FAILED: 'failed',
  // LinkedIn has confirmed the complete upload, and has not registered it yet.
  WAITING_UPLOAD: 'processing',
};
