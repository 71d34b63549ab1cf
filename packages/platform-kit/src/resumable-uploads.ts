import { ok, type Refusal } from '@switchboard/domain';
import type { PlatformFailureCode, PublishItem, Session } from '@switchboard/domain/ports';
import { mapFailureBeforeSend } from './map-failure-before-send.js';
import type { PartReceipt } from './part-receipt.js';
import type { AdapterResult } from './platform-client.js';
import { processingRefusal, waitUntilReady, type ProcessingState } from './wait-until-ready.js';

type ReceiptEntries = PublishItem['receipt'];

/**
 * The state of an upload. `unregistered`: the platform has not noticed its bytes. They are waited for, and
 * uploaded again by a later attempt.
 */
export type UploadState = ProcessingState | 'unregistered';

export interface UploadedFile {
  readonly id: string;
  /** `processing`: no post may reference the file before the platform has processed it. */
  readonly state: 'ready' | 'processing';
  /** Receipt entries besides the ID. */
  readonly entries?: ReceiptEntries | undefined;
}

/** One file of a part. */
interface ResumableUpload {
  /** The receipt key of its ID. */
  readonly key: string;
  /**
   * Uploads the file completely. It is not public before a post references it, so that a second upload does
   * no harm.
   */
  readonly upload: () => AdapterResult<UploadedFile>;
}

/** The differences between platforms. */
export interface UploadApi {
  /** The platform's name. */
  readonly name: string;
  /**
   * The state of the upload with this ID; null if it does not exist, or has expired. Omitted where the
   * platform reports no state: the upload is then used until the platform refuses the post
   * (`discardIfRefused`).
   */
  readonly look?: ((id: string) => AdapterResult<UploadState | null>) | undefined;
  /** The delays before each poll of an upload that the platform processes, in milliseconds. */
  readonly delaysMs?: readonly number[] | undefined;
}

const UPLOAD_STATE = 'the state of the upload. Nothing was posted.';

/**
 * The IDs of the files, ready for a post. A file that an earlier attempt uploaded, and that the platform
 * still has, is not uploaded again. Its ID is stored before the next request. A file that the platform cannot
 * process is discarded, so that a retry uploads it again. No failure leaves the outcome of the post unknown.
 */
export async function resumeUploads(
  session: Pick<Session, 'signal'>,
  receipt: PartReceipt,
  { name, look = async () => ok('ready'), delaysMs = [] }: UploadApi,
  uploads: readonly ResumableUpload[],
): AdapterResult<readonly string[]> {
  /** Null: the file has to be uploaded. */
  async function lookAt(key: string, id: string): AdapterResult<UploadState | null> {
    const seen = id === '' ? ok(null) : await look(id);
    if (seen.ok && isFailed(seen.value)) await receipt.save({ [key]: '' });
    return seen;
  }

  async function ensureUploaded({ key, upload }: ResumableUpload): AdapterResult<UploadedFile> {
    const id = receipt.entries[key] ?? '';
    const seen = await lookAt(key, id);
    if (!seen.ok) return seen;
    if (isFailed(seen.value)) return processingRefusal(name, seen.value);
    if (seen.value === 'ready' || seen.value === 'processing') return ok({ id, state: seen.value });
    const uploaded = await upload();
    if (uploaded.ok) await receipt.save({ [key]: uploaded.value.id, ...uploaded.value.entries });
    return uploaded;
  }

  const files: (UploadedFile & { readonly key: string })[] = [];
  for (const one of uploads) {
    const uploaded = await ensureUploaded(one);
    if (!uploaded.ok) return mapFailureBeforeSend({ name }, uploaded, UPLOAD_STATE);
    files.push(Object.assign({ key: one.key }, uploaded.value));
  }
  for (const { key, id, state } of files) {
    if (state === 'ready') continue;
    const ready = await waitUntilReady(session, {
      name,
      delaysMs,
      async look() {
        const seen = await lookAt(key, id);
        if (!seen.ok) return seen;
        return ok(seen.value === 'unregistered' ? 'processing' : seen.value);
      },
    });
    if (!ready.ok) return mapFailureBeforeSend({ name }, ready, UPLOAD_STATE);
  }
  return ok(files.map(({ id }) => id));
}

const isFailed = (state: UploadState | null): state is 'failed' | Refusal<PlatformFailureCode> =>
  state === 'failed' || (typeof state === 'object' && state !== null);

/** The receipt key with the ID of an uploaded medium. */
export const mediaReceiptKey = (at: number): string => `media_${at}`;

/** The IDs of an item's media if all are uploaded; null if one is missing, so that no post was ever sent. */
export function uploadedMediaIds(
  { mediaCount, receipt }: Pick<PublishItem, 'mediaCount' | 'receipt'>,
  keyOf = mediaReceiptKey,
): readonly string[] | null {
  const ids = Array.from({ length: mediaCount }, (_, at) => receipt[keyOf(at)] ?? '');
  return ids.includes('') ? null : ids;
}
