import { ok, type PublishItem, type PublishMedia, type Session } from '@switchboard/platform-kit';
import { anyResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { multipart } from '@switchboard/platform-kit/multipart';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import {
  mediaReceiptKey,
  resumeUploads,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import type { ProcessingState } from '@switchboard/platform-kit/wait-until-ready';
import { requestJson, errorMapping, upload } from './wire.js';

/** X accepts five. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/**
 * The delay between two polls of the processing status. Longer processing is left to a later attempt, which
 * has the ID.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(14).fill(4_000)];

export async function uploadMedia(
  session: Session,
  { media }: Pick<PublishItem, 'media'>,
  receipt: PartReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<readonly string[]> {
  const ids = await resumeUploads(
    session,
    receipt,
    { name: errorMapping.name, delaysMs, look: (id) => getProcessingState(session, id) },
    media.map((medium, at) => ({
      key: mediaReceiptKey(at),
      upload: () => uploadMedium(session, medium),
    })),
  );
  if (!ids.ok) return ids;
  for (const [at, { kind, altText }] of media.entries()) {
    if (altText === null || kind !== 'image') continue;
    const described = await setAltText(session, ids.value[at] ?? '', altText);
    if (!described.ok) return described;
  }
  return ids;
}

async function uploadMedium(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const category = categoryOf(medium);
  const started = await requestJson(
    session,
    {
      method: 'POST',
      path: '/2/media/upload/initialize',
      json: { media_type: medium.type, total_bytes: medium.bytes, media_category: category },
      effect: 'idempotent',
    },
    upload,
  );
  if (!started.ok) return started;
  const { id } = started.value.data;
  for (let start = 0, index = 0; start < medium.bytes; start += SEGMENT_BYTES, index++) {
    const appended = await append(session, id, medium, index, start);
    if (!appended.ok) return appended;
  }
  const finished = await requestJson(
    session,
    { method: 'POST', path: `/2/media/upload/${encodeURIComponent(id)}/finalize`, effect: 'idempotent' },
    upload,
  );
  return finished.ok ? ok({ id, state: category === 'tweet_image' ? 'ready' : 'processing' }) : finished;
}

function append(session: Session, id: string, medium: PublishMedia, index: number, start: number) {
  const end = Math.min(start + SEGMENT_BYTES, medium.bytes) - 1;
  const segment = {
    ...medium,
    name: 'media',
    bytes: end - start + 1,
    read: () => medium.read({ start, end }),
  };
  return requestJson(
    session,
    {
      method: 'POST',
      path: `/2/media/upload/${encodeURIComponent(id)}/append`,
      body: multipart({ segment_index: String(index) }, segment),
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(segment.bytes),
    },
    anyResponse,
  );
}

const setAltText = (session: Session, id: string, text: string) =>
  requestJson(
    session,
    {
      method: 'POST',
      path: '/2/media/metadata',
      json: { id, metadata: { alt_text: { text } } },
      effect: 'idempotent',
    },
    anyResponse,
  );

/** Null: the ID does not exist, or no longer. */
async function getProcessingState(session: Session, id: string): AdapterResult<ProcessingState | null> {
  const seen = await requestJson(
    session,
    { path: '/2/media/upload', query: { command: 'STATUS', media_id: id } },
    upload,
    (_words, { status }) => (status === 400 || status === 404 ? ok(null) : undefined),
  );
  return seen.ok ? ok(seen.value && stateOf(seen.value.data.processing_info?.state)) : seen;
}

/** Media without processing information is ready at once. */
function stateOf(state: string | null | undefined): ProcessingState {
  if (state === 'failed') return 'failed';
  return state === 'pending' || state === 'in_progress' ? 'processing' : 'ready';
}

/** A still GIF is an image like any other. */
function categoryOf({ kind, type, animated }: PublishMedia): string {
  if (kind === 'video') return 'tweet_video';
  return animated && type === 'image/gif' ? 'tweet_gif' : 'tweet_image';
}
