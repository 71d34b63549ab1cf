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

/** URNs: of the item's media, and of the picture of its card. */
export interface UploadedUrns {
  readonly media: readonly string[];
  readonly thumbnail: string | null;
}

/** Between two looks at what is being processed. What takes longer than all of them is left to a later attempt, which knows it by its URN. */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(14).fill(4_000)];

/** What is shown only once it has been worked on. */
const needsProcessing = (urn: string) => !urn.startsWith('urn:li:image:');

/** The URNs of the item's media, ready for a post. Those that an earlier attempt remembered are taken up again. */
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
  // LinkedIn takes no WebP, and a card is a card without a picture, too.
  const image = media.length === 0 && item.card?.image?.type !== 'image/webp' ? item.card?.image : null;
  const thumbnail = image ? await ensureUploaded('thumbnail', image) : ok(null);
  return thumbnail.ok ? ok({ media, thumbnail: thumbnail.value }) : thumbnail;
}

/** A picture or a document goes in one piece. */
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

/** A film goes in the pieces that LinkedIn asks for, and is put together by the tags that it gave for them. */
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

/** What no post carries is seen by nobody, so that sending it again does no harm. */
const postJson = <Value>(session: Session, path: string, json: unknown, schema: z.ZodType<Value>) =>
  requestJson(session, { method: 'POST', path, json, effect: 'idempotent' }, schema);

/** LinkedIn's own addresses are given the login, as it documents it for pictures; any other needs none. Answers the tag. */
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

/** Null: there is none by this URN, or none any more. */
async function getProcessingState(session: Session, urn: string): AdapterResult<ProcessingState | null> {
  if (urn === '') return ok(null);
  const path = `/rest/${urn.split(':')[2]}s/${encodeUrn(urn)}`;
  const seen = await requestJson(
    session,
    { method: 'GET', path, effect: 'read' },
    asset,
    (_words, { status }) => {
      // A login without the permissions for pages may upload, and not look at what it uploaded.
      if (status === 403) return ok({ status: 'AVAILABLE' });
      return status === 404 ? ok(null) : undefined;
    },
  );
  return seen.ok ? ok(seen.value && stateOf(seen.value.status)) : seen;
}

function stateOf(status: string): ProcessingState | null {
  if (status === 'AVAILABLE') return 'ready';
  // Only what was sent whole is looked at: LinkedIn has not noticed yet.
  if (status === 'PROCESSING' || status === 'WAITING_UPLOAD') return 'processing';
  return status === 'PROCESSING_FAILED' ? 'failed' : null;
}
